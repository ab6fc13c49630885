/** Every endpoint of the API. The server serves this list, and the API description is derived from it. */
import type { ReportIds } from '@cupel/access'
import type { PersonalData } from '@cupel/personal-data'
import type { PdfRenderer } from '@cupel/report-pdf'
import type { BulkParts } from './bulk/open-bulk.js'
import { createKeptDocuments } from './documents/kept-documents.js'
import type { ReadReportLeaf } from './documents/report-leaf.js'
import type { ReadRecordedLeaf } from './documents/transparency-reads.js'
import type { Endpoint } from './http/endpoint.js'
import type { Traffic } from './http/traffic.js'
import { describeApi } from './http/openapi.js'
import { listAuditLog, type AuditListing } from './routes/audit/list-audit-log.js'
import { cancelBulkJob } from './routes/bulk/cancel-bulk-job.js'
import { createBulkJob } from './routes/bulk/create-bulk-job.js'
import { getBulkJob } from './routes/bulk/get-bulk-job.js'
import { followBulkJob } from './routes/bulk/follow-bulk-job.js'
import { openJobCases } from './routes/bulk/open-job-cases.js'
import { listBulkJobs } from './routes/bulk/list-bulk-jobs.js'
import { getBulkPdf } from './routes/bulk/get-bulk-pdf.js'
import { listBulkResults } from './routes/bulk/list-bulk-results.js'
import { demoEndpoints } from './routes/demo/index.js'
import type { HealthParts } from './health/installation-health.js'
import { getInstallationHealth } from './routes/health/get-installation-health.js'
import { getHealth } from './routes/health/get-health.js'
import { getReadiness } from './routes/health/get-readiness.js'
import { getDocs } from './routes/reference/get-docs.js'
import { getOpenapi } from './routes/reference/get-openapi.js'
import { inboxEndpoints } from './routes/inbox/index.js'
import { listImportEndpoints, type ListImportParts } from './routes/list-imports/index.js'
import { searchLabelsEndpoint } from './routes/labels/search-labels.js'
import { listLists, type Lists } from './routes/lists/list-lists.js'
import { ownLabelEndpoints } from './routes/own-labels/index.js'
import { getPolicy } from './routes/policy/get-policy.js'
import { whatIf, type WhatIfParts } from './routes/policy/what-if.js'
import { listChains } from './routes/reference/list-chains.js'
import { getReport } from './routes/reports/get-report.js'
import { getReportChange } from './routes/reports/get-report-change.js'
import type { ExplainReports } from './screening/report-changes.js'
import { getReportHistory, type ReadHistoryProgress } from './routes/reports/get-report-history.js'
import { getLogCheckpoint, type ReadLogCheckpoint } from './routes/log/get-log-checkpoint.js'
import { getLogTile, type ReadLogTile } from './routes/log/get-log-tile.js'
import { openToEverybody } from './routes/log/public-log.js'
import { getReportPdf } from './routes/reports/get-report-pdf.js'
import { getReportProof, type ReadProof } from './routes/reports/get-report-proof.js'
import { listReports, type ReportListing } from './routes/reports/list-reports.js'
import { postmanCollection } from './reference-page/postman.js'
import { renderProblemPage } from './reference-page/problem-page.js'
import { renderReferencePage } from './reference-page/render-page.js'
import { renderSearchPage } from './reference-page/search-page.js'
import { getPostmanCollection } from './routes/reference/get-postman-collection.js'
import { getProblemPage } from './routes/reference/get-problem-page.js'
import { webhooksInOrder } from './webhook-description.js'
import { sessionEndpoints, type SessionParts } from './routes/sessions/index.js'
import { createReadCaseText } from './routes/cases/read-case-text.js'
import { getCaseDossier } from './routes/cases/get-dossier.js'
import { caseEndpoints, type CaseParts } from './routes/cases/index.js'
import { shareEndpoints, type SharingParts } from './routes/shares/index.js'
import { transferEndpoints } from './routes/transfers/index.js'
import type { TransferReads } from './screening/transfer-reads.js'
import { createScreen } from './routes/screen/create-screen.js'
import { accountEndpoints } from './routes/accounts/index.js'
import { keyEndpoints, type KeyParts } from './routes/keys/index.js'
import { getUsage, type UsageParts } from './routes/usage/get-usage.js'
import { watchEndpoints, type WatchParts } from './routes/watches/index.js'
import { webhookEndpoints, type WebhookParts } from './routes/webhook-endpoints/index.js'
import type { AsOfScreens } from './screening/as-of-screens.js'
import type { ReportReader } from './screening/report-reader.js'
import type { Screens } from './screening/screens.js'

export interface EndpointParts {
  readonly screens: Screens
  readonly reports: ReportReader
  readonly pdf: PdfRenderer
  readonly reportIds: ReportIds
  readonly asOfScreens: AsOfScreens
  readonly transferReads: TransferReads
  readonly readHistoryProgress: ReadHistoryProgress
  readonly explainReports: ExplainReports
  readonly now: () => Date
  readonly listing: ReportListing
  readonly auditListing: AuditListing
  readonly lists: Lists
  readonly listImports: ListImportParts
  readonly policy: WhatIfParts
  readonly keys: KeyParts
  readonly usage: UsageParts
  readonly bulk: BulkParts
  readonly webhooks: WebhookParts
  readonly sessions: SessionParts
  readonly sharing: Omit<SharingParts, 'readLeaf'>
  readonly cases: CaseParts
  readonly watches: WatchParts
  readonly transparency: TransparencyParts
  readonly health: HealthParts
  readonly personalData: PersonalData
  /** Names of the readiness checks that fail. */
  readonly failing: () => readonly string[]
}

export interface TransparencyParts {
  readonly readProof: ReadProof
  readonly readLeaf: ReadReportLeaf
  readonly readRecordedLeaf: ReadRecordedLeaf
  readonly readCheckpoint: ReadLogCheckpoint
  readonly readTile: ReadLogTile
  /** Where everybody may read checkpoint and tiles: what such reads wait for. Null where they need a key. */
  readonly publicReads: Pick<Traffic, 'quietMoment'> | null
}

export function endpointsOf(parts: EndpointParts): readonly Endpoint[] {
  let description: object | null = null
  const described = (): object => (description ??= describeApi(endpoints, webhooksInOrder))
  let text: string | null = null
  let collection: string | null = null
  let page: string | null = null
  const keptDocuments = createKeptDocuments()
  const endpoints: readonly Endpoint[] = [
    createScreen(parts),
    ...transferEndpoints(parts, parts.listing),
    getReport(parts.reports, parts.transparency.readLeaf),
    getReportHistory(parts.reports, parts.readHistoryProgress, parts.now),
    getReportChange(parts.reports, parts.explainReports),
    getReportPdf({ ...parts, keptDocuments }, createReadCaseText(parts.cases), parts.bulk.largeReads),
    getReportProof(parts.reports, parts.transparency.readProof),
    listReports(parts.listing),
    ...shareEndpoints({ ...parts.sharing, readLeaf: parts.transparency.readLeaf }),
    ...caseEndpoints(parts.cases, parts.transparency.readProof),
    getCaseDossier({ ...parts, keptDocuments }, parts.bulk.largeReads),
    createBulkJob(parts.bulk),
    listBulkJobs(parts.bulk, parts.listing.tokens),
    getBulkJob(parts.bulk),
    followBulkJob(parts.bulk),
    getBulkPdf(parts.bulk, parts.pdf, keptDocuments),
    cancelBulkJob(parts.bulk),
    openJobCases(parts.bulk, parts.cases),
    listBulkResults(parts.bulk, parts.listing.tokens),
    ...watchEndpoints(parts.watches),
    ...inboxEndpoints(parts.watches),
    ...webhookEndpoints(parts.webhooks),
    listLists(parts.lists),
    searchLabelsEndpoint(parts.listImports),
    ...ownLabelEndpoints(parts.listImports),
    ...listImportEndpoints(parts.listImports),
    ...demoEndpoints(parts.listImports),
    getPolicy(parts.policy.policyInForce),
    whatIf(parts.policy),
    ...keyEndpoints(parts.keys),
    ...accountEndpoints(parts.keys),
    getUsage(parts.usage),
    ...sessionEndpoints(parts.sessions),
    listAuditLog(parts.auditListing, parts.bulk.largeReads),
    ...logEndpoints(parts.transparency),
    listChains(parts.listing.tokens),
    getOpenapi(() => (text ??= JSON.stringify(described()))),
    getPostmanCollection(() => (collection ??= JSON.stringify(postmanCollection(described())))),
    getDocs((words) =>
      words === '' ? (page ??= renderReferencePage(described())) : renderSearchPage(described(), words),
    ),
    getProblemPage((code) => renderProblemPage(described(), code)),
    getInstallationHealth(parts.health),
    getHealth(),
    getReadiness(parts.failing),
  ]
  return endpoints
}

function logEndpoints({ readCheckpoint, readTile, publicReads }: TransparencyParts): readonly Endpoint[] {
  const endpoints = [getLogCheckpoint(readCheckpoint), getLogTile(readTile)]
  return publicReads === null ? endpoints : openToEverybody(endpoints, publicReads)
}
