/** The results of a job as a table: the verdict in words, with a link to its report. */
import { type ListPage, Level, ScrollTable } from '@cupel/console'
import type { Report } from '@cupel/contracts'
import { verdictOf, visibleText } from '@cupel/reports/document'
import { isRunning, type Job, type Result } from './job.js'

interface ResultsProps {
  readonly results: ListPage<Result>
  readonly job: Pick<Job, 'status'>
  readonly isFiltered: boolean
}

export function Results({ results: { items }, job, isFiltered }: ResultsProps) {
  if (items.length === 0)
    return (
      <p class="empty">
        {isFiltered
          ? 'No result is like this.'
          : isRunning(job)
            ? 'Nothing is done yet.'
            : 'There are no results.'}
      </p>
    )
  const hasReferences = items.some(({ reference }) => reference !== undefined)
  return (
    <ScrollTable
      caption="Results, worst first"
      class="results"
      head={['Result', 'Address', 'Why', hasReferences ? 'Reference' : null, { number: 'Number in the job' }]}
    >
      {items.map((result) => (
        <tr key={result.number}>
          <td>
            <Outcome result={result} />
          </td>
          <td>
            <code class="address">{visibleText(result.address)}</code>
            {result.report === undefined ? null : <span class="quiet"> {result.report.chain}</span>}
          </td>
          <td dir="auto">
            <Why result={result} />
          </td>
          {hasReferences ? <td dir="auto">{visibleText(result.reference ?? '–')}</td> : null}
          <td class="number quiet">{result.number}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function Outcome({ result: { status, report } }: { readonly result: Result }) {
  if (report !== undefined)
    return (
      <a href={`/reports/${report.report_id}`}>
        <Level level={report.risk.level} score={report.risk.score} />
      </a>
    )
  const words: Readonly<Record<string, string>> = {
    failed: 'Failed',
    cancelled: 'Cancelled',
    pending: 'Not done',
  }
  return <span class="tag">{words[status] ?? status}</span>
}

function Why({ result: { status, report, error } }: { readonly result: Result }) {
  if (report !== undefined) return <>{reasonOf(report)}</>
  if (error !== undefined) return <>{error.detail}</>
  return (
    <span class="quiet">{status === 'cancelled' ? 'It was not screened.' : 'It waits for its turn.'}</span>
  )
}

/** The verdict without the level and score, which stand beside it. */
function reasonOf(report: Report): string {
  const verdict = verdictOf(report)
  const [, reason] = /^[^:]*: (.+)$/s.exec(verdict.headline) ?? []
  return reason === undefined ? verdict.meaning : reason.charAt(0).toUpperCase() + reason.slice(1)
}
