/** The newest unread entries of the inbox, for the first page. */
import type { HomeCard, InboxEntry, ListPage } from '@cupel/console'
import { EntryTable } from './entry-table.js'

/** Entries that the first page shows. */
const TOP_OF_INBOX = { show: 'unread', page_size: 5 } as const

export const inboxCard: HomeCard = async ({ api }) => {
  const inbox = await api.get<ListPage<InboxEntry>>('/v1/inbox', TOP_OF_INBOX)
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
