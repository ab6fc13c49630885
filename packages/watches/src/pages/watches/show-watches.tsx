/** GET /watches: the watched addresses with their last decisions, and what of the lists lets none of them be green now. */
import { reasonText, visibleText } from '@cupel/reports/document'
import type { ComponentChildren } from 'preact'
import {
  type ListPage,
  type Watch,
  Form,
  Level,
  Moment,
  Notice,
  Pager,
  ScrollTable,
  page,
  type Page,
  type PageCall,
  type ShownPage,
  mayChange,
} from '@cupel/console'
import { emptyWatchForm, WatchForm, type WatchFormState } from './watch-form.js'

export const showWatches: Page = {
  method: 'GET',
  path: '/watches',
  access: 'session',
  handle: (call) =>
    watchesPage(call, {
      ...emptyWatchForm,
      addresses: (call.query.get('address') ?? '').trim(),
      chain: call.query.get('chain') ?? '',
    }),
}

export async function watchesPage(
  call: PageCall,
  form: WatchFormState,
  { status = 200 } = {},
): Promise<ShownPage> {
  const { api, query } = call
  const { items, next_page_token: next } = await api.get<ListPage<Watch>>('/v1/watches', {
    page_token: query.get('page_token'),
  })
  const reasons = [...new Set(items.flatMap(({ list_reasons }) => list_reasons))]
  const watched = /^\d{1,4}$/.exec(query.get('watched') ?? '')?.[0]
  return page(
    'Watches',
    <>
      <h1>Watches</h1>
      <p class="quiet">
        Addresses that are screened again after each change that can affect their reports. A list that grows
        old is not such a change, so this page names it.
      </p>
      {watched === undefined ? null : (
        <Notice kind="done">
          {watched === '1' ? 'One address is' : `${watched} addresses are`} watched, and screened now.
        </Notice>
      )}
      {query.has('removed') ? <Notice kind="done">The address is no longer watched.</Notice> : null}
      {reasons.map((code) => (
        <Notice key={code} kind="fault">
          No watched address is green now: {visibleText(reasonText(code))}
        </Notice>
      ))}
      {items.length === 0 ? (
        <p class="empty">No address is watched yet.</p>
      ) : (
        <WatchTable call={call} items={items} />
      )}
      <Pager path="/watches" query={query} next={next} />
      <WatchForm call={call} state={form} />
    </>,
    { section: '/watches', status },
  )
}

interface WatchTableProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly items: readonly Watch[]
}

function WatchTable({ call, items }: WatchTableProps) {
  const mayRemove = mayChange(call.session)
  return (
    <ScrollTable
      caption="Watches"
      class="stacked"
      head={['Last level', 'Address', 'Reference', 'Status', 'Decided', ...(mayRemove ? ['Change'] : [])]}
    >
      {items.map((watch) => (
        <WatchLine key={watch.watch_id} watch={watch}>
          {mayRemove ? (
            <td>
              <Form call={call} action={`/watches/${encodeURIComponent(watch.watch_id)}/remove`}>
                <button class="plain" aria-label={`Stop watching ${visibleText(watch.address)}`}>
                  Stop watching
                </button>
              </Form>
            </td>
          ) : null}
        </WatchLine>
      ))}
    </ScrollTable>
  )
}

interface WatchLineProps {
  readonly watch: Watch
  /** The last cell. */
  readonly children: ComponentChildren
}

function WatchLine({ watch, children }: WatchLineProps) {
  const { address, chain, reference, status, until, last_report: last } = watch
  return (
    <tr>
      <td>{last === null ? 'not decided yet' : <Level level={last.level} score={last.score} />}</td>
      <td class="address">
        {last === null ? (
          <code>{visibleText(address)}</code>
        ) : (
          <a href={`/reports/${last.report_id}`}>
            <code>{visibleText(address)}</code>
          </a>
        )}{' '}
        <span class="tag">{visibleText(chain)}</span>
      </td>
      <td data-head="Reference" dir="auto">
        {reference === null ? '–' : visibleText(reference)}
      </td>
      <td data-head="Status">
        {visibleText(status)}
        {until === null ? null : (
          <>
            {' '}
            until <Moment at={until} />
          </>
        )}
      </td>
      <td data-head="Decided">
        <Moment at={last?.generated_at ?? null} />
      </td>
      {children}
    </tr>
  )
}
