/** GET /cases: the work that is open or escalated, last changed first. */
import { dispositions, type CaseSummary } from '@cupel/contracts'
import { dispositionText, visibleText } from '@cupel/report-document'
import { Level } from '../../components/level.js'
import { Moment } from '../../components/moment.js'
import { Pager } from '../../components/pager.js'
import { ScrollTable } from '../../components/scroll-table.js'
import { page, type Page } from '../../server/page.js'

interface CaseList {
  readonly items: readonly CaseSummary[]
  readonly next_page_token: string | null
}

const UNSETTLED = 'unsettled'
const filters = [
  { value: UNSETTLED, label: 'Open and escalated' },
  ...dispositions.map((one) => ({ value: one as string, label: dispositionText(one) })),
]

export const showCases: Page = {
  method: 'GET',
  path: '/cases',
  access: 'session',
  async handle({ api, query }) {
    const asked = query.get('disposition') ?? UNSETTLED
    const disposition = filters.some(({ value }) => value === asked) ? asked : UNSETTLED
    const page_token = query.get('page_token')
    const list = await api.get<CaseList>('/v1/cases', { disposition, page_token })
    const body = (
      <>
        <h1>Cases</h1>
        <p class="quiet">
          Reports on which somebody has written a note or decided. Open a report to begin its case.
        </p>
        <Filters present={disposition} />
        {list.items.length === 0 ? <p class="empty">No case is here.</p> : <Cases items={list.items} />}
        <Pager path="/cases" query={query} next={list.next_page_token} />
      </>
    )
    return page('Cases', body, { section: '/cases' })
  },
}

function Filters({ present }: { readonly present: string }) {
  return (
    <nav aria-label="Disposition" class="chips no-print">
      <ul>
        {filters.map(({ value, label }) => (
          <li key={value}>
            <a href={`/cases?disposition=${value}`} aria-current={value === present ? 'true' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Cases({ items }: Pick<CaseList, 'items'>) {
  return (
    <ScrollTable
      caption="Cases"
      class="reports stacked"
      head={['Level', 'Address', 'Disposition', 'Last entry']}
    >
      {items.map(({ report_id, address, chain, level, score, disposition, proposal, changed_at }) => (
        <tr key={report_id}>
          <td>
            <Level level={level} score={score} />
          </td>
          <td class="address">
            <a href={`/reports/${report_id}#case`}>
              <code>{visibleText(address)}</code>
            </a>{' '}
            <span class="tag">{visibleText(chain)}</span>
          </td>
          <td>
            {dispositionText(disposition)}
            {proposal === null ? null : (
              <strong>
                {' '}
                – {dispositionText(proposal.disposition).toLowerCase()} waits for a second person
              </strong>
            )}
          </td>
          <td>
            <Moment at={changed_at} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}
