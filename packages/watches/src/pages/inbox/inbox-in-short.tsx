/** The newest unread entries of the inbox, for the first page. */
import type { ListPage, InboxEntry } from '@cupel/console'
import { EntryTable } from './entry-table.js'

/** Entries that the first page shows. */
export const TOP_OF_INBOX = { show: 'unread', page_size: 5 } as const

export function InboxInShort({ inbox }: { readonly inbox: ListPage<InboxEntry> }) {
  if (inbox.items.length === 0) return null
  return (
    <section aria-labelledby="inbox-title">
      <h2 id="inbox-title">Waits for you</h2>
      <EntryTable entries={inbox.items} caption="Newest unread entries of the inbox" choice={null} />
      <p>
        <a href="/inbox">The whole inbox</a>
      </p>
    </section>
  )
}
