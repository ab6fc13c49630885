/** Reports in a table, one line each, with the result and its reasons. */
import type { Report } from '@cupel/contracts'
import { verdictOf, visibleText } from '@cupel/reports/document'
import { Level } from './level.js'
import { Moment } from './moment.js'
import { ScrollTable } from './scroll-table.js'

interface ReportTableProps {
  readonly reports: readonly Report[]
  /** Says what the table shows, for people who do not see it. */
  readonly caption: string
  /** Each line can be chosen, for a comparison. */
  readonly isSelectable?: boolean
}

export function ReportTable({ reports, caption, isSelectable = false }: ReportTableProps) {
  const hasReference = reports.some(({ customer_reference }) => customer_reference !== null)
  return (
    <ScrollTable
      caption={caption}
      class="reports stacked"
      head={[
        isSelectable ? 'Compare' : null,
        'Level',
        'Address',
        'Why',
        hasReference ? 'Reference' : null,
        'Generated',
      ]}
    >
      {reports.map((report, index) => (
        <ReportLine key={report.report_id} {...{ report, index, isSelectable, hasReference }} />
      ))}
    </ScrollTable>
  )
}

interface ReportLineProps {
  readonly report: Report
  readonly index: number
  readonly isSelectable: boolean
  readonly hasReference: boolean
}

/** The two newest reports are chosen at first. */
const CHOSEN = 2

function ReportLine({ report, index, isSelectable, hasReference }: ReportLineProps) {
  const { report_id, address, chain, generated_at, customer_reference, risk } = report
  return (
    <tr>
      {isSelectable ? (
        <td>
          <input
            type="checkbox"
            name="report"
            value={report_id}
            aria-label={`Compare the report of ${generated_at}`}
            checked={index < CHOSEN}
          />
        </td>
      ) : null}
      <td>
        <Level level={risk.level} score={risk.score} />
      </td>
      <td class="address">
        <a href={`/reports/${report_id}`}>
          <code>{visibleText(address)}</code>
        </a>{' '}
        <span class="tag">{visibleText(chain)}</span>
      </td>
      <td dir="auto">{reasonOf(report)}</td>
      {hasReference ? (
        <td dir="auto" data-head="Reference">
          {visibleText(customer_reference ?? '')}
        </td>
      ) : null}
      <td data-head="Generated">
        <Moment at={generated_at} />
      </td>
    </tr>
  )
}

/** The headline without the text of the first column: `Red, 95 of 100: listed by …` becomes `Listed by …`. */
function reasonOf(report: Report): string {
  const { headline } = verdictOf(report)
  const reason = headline.slice(headline.indexOf(': ') + 2)
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}
