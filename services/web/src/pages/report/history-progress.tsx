/** How far the histories are that a report waits for: a page of its own data, which the script of the browser reads again and again. */
import type { Report } from '@cupel/contracts'
import { historyProgressText, type HistoryProgress } from '@cupel/report-document'
import { raw, type Page } from '../../server/page.js'

export const followHistory: Page = {
  method: 'GET',
  path: '/reports/{report_id}/history',
  access: 'session',
  async handle({ api, path }) {
    const told = await api.get<HistoryProgress>(
      `/v1/reports/${encodeURIComponent(path['report_id'] ?? '')}/history`,
    )
    const shown = { status: told.status, text: historyProgressText(told) }
    return raw(JSON.stringify(shown), { 'content-type': 'application/json' })
  },
}

/** Nothing for a report that waits for no history. Without a script the link looks again. */
export function HistoryProgressBox({
  report,
  progress,
}: {
  readonly report: Report
  readonly progress: HistoryProgress | null
}) {
  if (report.coverage.history?.status !== 'reading') return null
  const { report_id: id, address, chain, customer_reference: reference } = report
  const again = new URLSearchParams({ address, chain, ...(reference === null ? {} : { reference }) })
  const isRead = progress?.status === 'read'
  const isFault = progress === null || progress.status === 'failed' || progress.status === 'stopped'
  return (
    <div
      class={`notice notice-${isFault ? 'fault' : isRead ? 'done' : 'hint'} no-print`}
      role="status"
      {...(progress?.status === 'reading' ? { 'data-follow-history': `/reports/${id}/history` } : {})}
    >
      <span class="sign" aria-hidden="true">
        {isFault ? '!' : isRead ? '✓' : 'i'}
      </span>
      <div>
        <span data-history-text>
          {progress === null ? 'How far the history is cannot be told now.' : historyProgressText(progress)}
        </span>{' '}
        <a href={`/screen?${again.toString()}`}>Screen again</a>
      </div>
    </div>
  )
}
