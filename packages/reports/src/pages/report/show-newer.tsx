/** POST /reports/{report_id}/newer: the report that comes after one that waits for a history. Of one report it makes one more at most. */
import type { Report } from '@cupel/contracts'
import { type ApiClient, ApiProblem, type ReportPage, fieldOf, redirect, type Page } from '@cupel/console'
import { latePage } from '@cupel/screening/pages'

/** The newest reports of the address among which a newer one is looked for. */
const LOOKED_AT = 20
/** Histories of counterparties may be read meanwhile. */
const WAIT_SECONDS = 10

export const showNewer: Page = {
  method: 'POST',
  path: '/reports/{report_id}/newer',
  access: 'session',
  async handle({ api, path, form }) {
    const id = path['report_id'] ?? ''
    const report = await api.get<Report>(`/v1/reports/${encodeURIComponent(id)}`)
    const round = /^\d$/.test(fieldOf(form, 'round')) ? fieldOf(form, 'round') : '9'
    const newer = await findNewer(api, report)
    if (newer !== null) return redirect(`/reports/${newer.report_id}`)
    const headers = { 'idempotency-key': `console-newer-${id}`, prefer: `wait=${WAIT_SECONDS}` }
    try {
      const made = await api.send<Report>('POST', '/v1/screen', asBefore(report), headers)
      return redirect(`/reports/${made.report_id}?round=${round}`)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const { report_id: late } = error.document
      if (error.code === 'screening_timeout' && typeof late === 'string') return latePage(late)
      throw error
    }
  },
}

/** The same question: a caller who named no chain asked for all that are possible. */
function asBefore({ address, chain, candidate_chains: candidates, customer_reference: reference }: Report) {
  return {
    address,
    ...((candidates ?? []).length > 0 ? {} : { chain }),
    ...(reference === null ? {} : { customer_reference: reference }),
  }
}

/** The newest report of the same question that waits for no history; else null. */
export async function findNewer(api: ApiClient, report: Report): Promise<Report | null> {
  const { items } = await api.get<ReportPage>('/v1/reports', {
    ...{ address: report.address, from: report.generated_at, page_size: LOOKED_AT },
  })
  const question = JSON.stringify(asBefore(report))
  return (
    items.find(
      (one) =>
        one.generated_at > report.generated_at &&
        one.transfer === undefined &&
        one.coverage.history?.status !== 'reading' &&
        JSON.stringify(asBefore(one)) === question,
    ) ?? null
  )
}
