/** GET /inbox: what waits for this person, newest first. */
import { readWaiting, WaitingChanges } from '@cupel/gate/pages'
import { riskLevels } from '@cupel/contracts'
import { en, reasonText, visibleText } from '@cupel/reports/document'
import {
  type ListPage,
  queryText,
  type InboxEntry,
  type UnreadCount,
  Form,
  Notice,
  Pager,
  page,
  type Page,
  type PageCall,
  type ShownPage,
  mayChange,
} from '@cupel/console'
import { choiceOf, EntryTable } from './entry-table.js'
import { kindText } from './entry-text.js'

/** Entries of a page, so that one form marks them all. */
const PAGE_SIZE = 50
const KINDS = ['report_changed', 'proposal_waiting', 'watch_failed'] as const
/** The name of the boxes by which entries are chosen. */
export const CHOICE = 'entry'

export const showInbox = (opensCases: boolean): Page => ({
  method: 'GET',
  path: '/inbox',
  access: 'session',
  handle: (call) => inboxPage(call, { status: 200, fault: null, done: doneText(call.query), opensCases }),
})

interface InboxState {
  /** Whether a form opens cases. */
  readonly opensCases: boolean
  readonly status: number
  readonly fault: string | null
  readonly done: string | null
}

interface Filter {
  readonly show: string | null
  readonly kind: string | null
  readonly level: string | null
}

export async function inboxPage(
  call: PageCall,
  { status, fault, done, opensCases }: InboxState,
): Promise<ShownPage> {
  const { api, query } = call
  const filter = filterOf(query)
  const [list, count, waiting] = await Promise.all([
    api.get<ListPage<InboxEntry>>('/v1/inbox', {
      ...filter,
      ...{ page_size: PAGE_SIZE, page_token: query.get('page_token') },
    }),
    api.get<UnreadCount>('/v1/inbox/unread'),
    readWaiting(call),
  ])
  const isSearch = Object.values(filter).some((value) => value !== null)
  return page(
    'Inbox',
    <>
      <h1>Inbox</h1>
      <p class="quiet">
        Changed reports of <a href="/watches">watched addresses</a>, proposals that wait for a second person,
        and watches that keep failing. An entry that you mark as read stays unread for others.
      </p>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {done === null ? null : <Notice kind="done">{done}</Notice>}
      {count.list_reasons.map((code) => (
        <Notice key={code} kind="fault">
          No watched address is green now: {visibleText(reasonText(code))}
        </Notice>
      ))}
      <WaitingChanges of={waiting} />
      <Filters filter={filter} count={count} />
      {list.items.length === 0 ? (
        <p class="empty">{emptyText(isSearch, waiting?.items.length === 0)}</p>
      ) : (
        <Entries call={call} items={list.items} filter={filter} opensCases={opensCases} />
      )}
      <Pager path="/inbox" query={query} next={list.next_page_token} isSearch={isSearch} />
    </>,
    { section: '/inbox', status },
  )
}

/** Changes that wait are shown above the entries. */
function emptyText(isSearch: boolean, isNothingElse: boolean): string {
  if (isSearch) return 'No entry here is like this.'
  return isNothingElse ? 'Nothing waits for anybody.' : 'No report and no watch waits for anybody.'
}

/** Unknown values of a filter are no filter. */
function filterOf(query: URLSearchParams): Filter {
  const oneOf = (name: string, values: readonly string[]): string | null =>
    values.find((value) => value === query.get(name)) ?? null
  return {
    show: oneOf('show', ['unread']),
    kind: oneOf('kind', KINDS),
    level: oneOf('level', riskLevels),
  }
}

function doneText(query: URLSearchParams): string | null {
  const numberOf = (name: string): number | null => {
    const digits = /^\d{1,4}$/.exec(query.get(name) ?? '')?.[0]
    return digits === undefined ? null : Number(digits)
  }
  const [opened, marked] = [numberOf('opened'), numberOf('marked')]
  if (opened !== null) return opened === 1 ? 'One case was opened.' : `${opened} cases were opened.`
  if (marked === null) return null
  return marked === 1 ? 'One entry was marked.' : `${marked} entries were marked.`
}

export const countText = ({ unread, is_lower_bound }: UnreadCount): string =>
  `${unread}${is_lower_bound ? ' or more' : ''}`

function Filters({ filter, count }: { readonly filter: Filter; readonly count: UnreadCount }) {
  const link = (label: string, to: Partial<Filter>) => {
    const target = { show: null, kind: null, level: null, ...to }
    const isPresent = JSON.stringify(target) === JSON.stringify(filter)
    return (
      <li key={label}>
        <a href={`/inbox${queryText(target)}`} aria-current={isPresent ? 'true' : undefined}>
          {label}
        </a>
      </li>
    )
  }
  return (
    <nav aria-label="Filter the inbox" class="chips no-print">
      <ul>
        {link('All', {})}
        {link(`Unread: ${countText(count)}`, { show: 'unread' })}
        {KINDS.map((kind) => link(kindText(kind), { kind }))}
        {riskLevels.map((level) => link(`To ${en.levels[level].toLowerCase()}`, { level }))}
      </ul>
    </nav>
  )
}

interface EntriesProps {
  readonly opensCases: boolean
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly items: readonly InboxEntry[]
  readonly filter: Filter
}

function Entries({ call, items, filter, opensCases }: EntriesProps) {
  const mayOpen = opensCases && mayChange(call.session)
  return (
    <Form call={call} action={`/inbox${queryText({ ...filter })}`}>
      <EntryTable entries={items} caption="Inbox, newest first" choice={CHOICE} />
      {items.map((entry) => (
        <input key={entry.entry_id} type="hidden" name="shown" value={choiceOf(entry)} />
      ))}
      <p class="actions no-print">
        <button name="do" value="read">
          Mark the chosen as read
        </button>
        <button name="do" value="unread" class="plain">
          Mark the chosen as unread
        </button>
        <button name="do" value="read-all" class="plain">
          Mark this page as read
        </button>
      </p>
      {mayOpen ? (
        <details class="confirm no-print">
          <summary>Open cases for the chosen</summary>
          <p>
            Each chosen report without a case gets one, with this note. Cases that exist stay as they are.
          </p>
          <label for="note">Note</label>
          <input id="note" name="note" value="Opened from the inbox." maxlength={2000} />
          <button name="do" value="cases">
            Open the cases
          </button>
        </details>
      ) : null}
    </Form>
  )
}
