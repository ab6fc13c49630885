/** How far the histories are that a report waits for, and the report that comes after them. The script of the browser follows both. */
import type { Report } from '@cupel/contracts'
import { historyProgressText, type HistoryProgress } from '../../document/index.js'
import { Form, raw, type Page, type PageCall, mayChange } from '@cupel/console'
import { findNewer } from './show-newer.js'

export const followHistory: Page = {
  method: 'GET',
  path: '/reports/{report_id}/history',
  access: 'session',
  async handle({ api, path }) {
    const base = `/v1/reports/${encodeURIComponent(path['report_id'] ?? '')}`
    const told = await api.get<HistoryProgress>(`${base}/history`)
    const newer = told.status === 'read' ? await findNewer(api, await api.get<Report>(base)) : null
    const shown = {
      ...{ status: told.status, text: historyProgressText(told) },
      newer: newer === null ? null : `/reports/${newer.report_id}`,
    }
    return raw(JSON.stringify(shown), { 'content-type': 'application/json' })
  },
}

interface HistoryProgressProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly report: Report
  readonly progress: HistoryProgress | null
  /** A report of the address that waits for nothing; else null. */
  readonly newer: Report | null
  /** Reports that were shown by themselves until this one. */
  readonly round: number
}

/** A page shows so many reports by itself, one after another: each costs a screen. */
const MOST_ROUNDS = 3

/** Nothing for a report that waits for no history. Without a script the links and the button do the same. */
export function HistoryProgressBox({ call, report, progress, newer, round }: HistoryProgressProps) {
  if (report.coverage.history?.status !== 'reading') return null
  const { report_id: id, address, chain, customer_reference: reference, transfer } = report
  const status = progress?.status
  const again = new URLSearchParams({ address, chain, ...(reference === null ? {} : { reference }) })
  const isFault = progress === null || status === 'failed' || status === 'stopped'
  const kind = isFault ? 'fault' : status === 'read' ? 'done' : 'hint'
  // Its terms are not all in its report.
  const againPath = transfer === undefined ? `/screen?${again.toString()}` : '/transfers'
  const mayScreen = mayChange(call.session)
  return (
    <div
      class={`notice notice-${kind} no-print`}
      role="status"
      {...(status === 'reading' ? { 'data-follow-history': `/reports/${id}/history` } : {})}
    >
      <span class="sign" aria-hidden="true">
        {isFault ? '!' : status === 'read' ? '✓' : 'i'}
      </span>
      <div>
        <span data-history-text>
          {progress === null ? 'How far the history is cannot be told now.' : historyProgressText(progress)}
        </span>{' '}
        <a data-history-newer hidden={newer === null} href={`/reports/${newer?.report_id ?? id}`}>
          Open the newer report
        </a>{' '}
        {mayScreen ? (
          <a data-history-fault hidden={!isFault && transfer === undefined} href={againPath}>
            Screen again
          </a>
        ) : (
          <a href={`/history?${new URLSearchParams({ q: address }).toString()}`}>Reports of this address</a>
        )}
        {mayScreen && transfer === undefined ? (
          <Form call={call} action={`/reports/${id}/newer`}>
            <input type="hidden" name="round" value={round + 1} />
            <button
              hidden={status !== 'read' || newer !== null}
              data-history-again={round < MOST_ROUNDS ? 'by-itself' : 'on-request'}
            >
              Show the new report
            </button>
          </Form>
        ) : null}
      </div>
    </div>
  )
}
