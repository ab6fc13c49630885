/** GET /watches: the watched addresses with their last decisions, and what of the lists lets none of them be green now. */
import { reasonText, visibleText } from '@cupel/report-document'
import type { ListPage, Watch } from '../../api/answers.js'
import { Level } from '../../components/level.js'
import { Moment } from '../../components/moment.js'
import { Notice } from '../../components/notice.js'
import { Pager } from '../../components/pager.js'
import { ScrollTable } from '../../components/scroll-table.js'
import { page, type Page } from '../../server/page.js'

export const showWatches: Page = {
  method: 'GET',
  path: '/watches',
  access: 'session',
  async handle({ api, query }) {
    const { items, next_page_token: next } = await api.get<ListPage<Watch>>('/v1/watches', {
      page_token: query.get('page_token'),
    })
    const reasons = [...new Set(items.flatMap(({ list_reasons }) => list_reasons))]
    return page(
      'Watches',
      <section>
        <h1>Watches</h1>
        <p class="quiet">
          Addresses that are screened again after each change that can affect their reports. A list that grows
          old is not such a change, so this page names it.
        </p>
        {reasons.map((code) => (
          <Notice key={code} kind="fault">
            No watched address is green now: {visibleText(reasonText(code))}
          </Notice>
        ))}
        {items.length === 0 ? <p class="empty">No address is watched yet.</p> : <WatchTable items={items} />}
        <Pager path="/watches" query={query} next={next} />
      </section>,
      { section: '/watches' },
    )
  },
}

function WatchTable({ items }: { readonly items: readonly Watch[] }) {
  return (
    <ScrollTable
      caption="Watches"
      class="stacked"
      head={['Last level', 'Address', 'Reference', 'Status', 'Decided']}
    >
      {items.map((watch) => (
        <WatchLine key={watch.watch_id} watch={watch} />
      ))}
    </ScrollTable>
  )
}

function WatchLine({ watch }: { readonly watch: Watch }) {
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
    </tr>
  )
}
