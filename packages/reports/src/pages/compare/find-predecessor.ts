/** The report of the same address and chain before a report. */
import type { Report } from '@cupel/contracts'
import type { ApiClient, ReportPage } from '@cupel/console'

/** Null where there is none. */
export async function findPredecessor(api: ApiClient, report: Report): Promise<Report | null> {
  const { items } = await api.get<ReportPage>('/v1/reports', {
    address: report.address,
    chain: report.chain,
    to: report.generated_at,
    page_size: 1,
  })
  return items[0] ?? null
}
