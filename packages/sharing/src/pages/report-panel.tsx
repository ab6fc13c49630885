/** The links of a report, on the page of the report. */
import { nullWhereRefused, type ReportPanel } from '@cupel/console'
import { SharePanel, type Share } from './share-panel.js'

export const sharePanel: ReportPanel = async (call, reportId) => {
  // The report is shown even if its links cannot be read.
  const shares = await call.api
    .get<{ readonly items: readonly Share[] }>(`/v1/reports/${reportId}/share-links`)
    .catch(nullWhereRefused)
  return <SharePanel {...{ call, reportId, shares: shares?.items ?? null }} />
}
