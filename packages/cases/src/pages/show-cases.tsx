/** GET /cases: the work that is open or escalated, last changed first. */
import { dispositions, riskLevels, type CaseSummary } from '@cupel/contracts'
import { assigneeText, dispositionText, en, visibleText } from '@cupel/reports/document'
import { queryText, Level, Moment, Pager, ScrollTable, page, type Page } from '@cupel/console'

interface CaseList {
  readonly items: readonly CaseSummary[]
  readonly next_page_token: string | null
}

const UNSETTLED = 'unsettled'
const filters = [
  { value: UNSETTLED, label: 'Open and escalated' },
  ...dispositions.map((one) => ({ value: one as string, label: dispositionText(one) })),
]

const whose = [
  { value: '', label: 'Everybody’s' },
  { value: 'me', label: 'Mine' },
  { value: 'nobody', label: 'Nobody’s' },
  { value: 'overdue', label: 'Overdue' },
] as const

const levels = [
  { value: '', label: 'All levels' },
  ...riskLevels.map((level) => ({ value: level as string, label: en.levels[level] })),
]

interface Chosen {
  readonly disposition: string
  readonly whose: string
  readonly level: string
}

export const showCases: Page = {
  method: 'GET',
  path: '/cases',
  access: 'session',
  async handle({ api, query }) {
    const oneOf = (name: string, known: readonly { readonly value: string }[], otherwise: string): string =>
      known.find(({ value }) => value === query.get(name))?.value ?? otherwise
    const chosen: Chosen = {
      disposition: oneOf('disposition', filters, UNSETTLED),
      whose: oneOf('whose', whose, ''),
      level: oneOf('level', levels, ''),
    }
    const list = await api.get<CaseList>('/v1/cases', {
      ...{ disposition: chosen.disposition, level: chosen.level, page_token: query.get('page_token') },
      ...(chosen.whose === 'overdue' ? { overdue: 'true' } : { assignee: chosen.whose }),
    })
    const body = (
      <>
        <h1>Cases</h1>
        <p class="quiet">
          Reports on which somebody has written a note or decided. Open a report to begin its case.
        </p>
        <Filter {...{ title: 'Disposition', name: 'disposition', options: filters, chosen }} />
        <Filter {...{ title: 'Assigned to', name: 'whose', options: whose, chosen }} />
        <Filter {...{ title: 'Level', name: 'level', options: levels, chosen }} />
        {list.items.length === 0 ? <p class="empty">No case is here.</p> : <Cases items={list.items} />}
        <Pager path="/cases" query={query} next={list.next_page_token} />
      </>
    )
    return page('Cases', body, { section: '/cases' })
  },
}

interface FilterProps {
  readonly title: string
  readonly name: keyof Chosen
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly chosen: Chosen
}

function Filter({ title, name, options, chosen }: FilterProps) {
  return (
    <nav aria-label={title} class="chips no-print">
      <ul>
        {options.map(({ value, label }) => (
          <li key={value}>
            <a
              href={`/cases${queryText({ ...chosen, [name]: value })}`}
              aria-current={value === chosen[name] ? 'true' : undefined}
            >
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
      head={['Level', 'Address', 'Disposition', 'Assigned to', 'Due', 'Last entry']}
    >
      {items.map((one) => (
        <tr key={one.report_id}>
          <td>
            <Level level={one.level} score={one.score} />
          </td>
          <td class="address">
            <a href={`/cases/${one.report_id}`}>
              <code>{visibleText(one.address)}</code>
            </a>{' '}
            <span class="tag">{visibleText(one.chain)}</span>
          </td>
          <td>
            {dispositionText(one.disposition)}
            {one.proposal === null ? null : (
              <strong>
                {' '}
                – {dispositionText(one.proposal.disposition).toLowerCase()} waits for a second person
              </strong>
            )}
          </td>
          <td dir="auto" data-head="Assigned to">
            {assigneeText(one.assignee)}
          </td>
          <td data-head="Due">
            <DueDay dueOn={one.due_on ?? null} isOverdue={one.is_overdue === true} />
          </td>
          <td data-head="Last entry">
            <Moment at={one.changed_at} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

/** The word says what the colour says. */
export function DueDay({ dueOn, isOverdue }: { readonly dueOn: string | null; readonly isOverdue: boolean }) {
  if (dueOn === null) return <>–</>
  return isOverdue ? <strong class="overdue">Overdue since {dueOn}</strong> : <>{dueOn}</>
}
