/** The case of a report, on the page of the report. */
import { nullWhereRefused, type ReportPanel } from '@cupel/console'
import type { ReportCase } from '@cupel/contracts'
import { CasePanel } from './case-panel.js'

export const casePanel: ReportPanel = async (call, reportId) => {
  // The report is shown even if its case cannot be read.
  const reportCase = await call.api.get<ReportCase>(`/v1/reports/${reportId}/case`).catch(nullWhereRefused)
  return <CasePanel {...{ call, reportCase }} />
}
