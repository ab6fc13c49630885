/** Every endpoint of the API. The server serves this list, and the API description is derived from it. */
import type { ReportIds } from '@cupel/gate/access'
import type { PersonalData } from '@cupel/personal-data'
import type { PdfRenderer } from '@cupel/reports/pdf'
import {
  type BulkParts,
  cancelBulkJob,
  createBulkJob,
  getBulkJob,
  followBulkJob,
  openJobCases,
  listBulkJobs,
  getBulkPdf,
  listBulkResults,
} from '@cupel/bulk/routes'
import {
  createKeptDocuments,
  type ReadReportLeaf,
  type ReadRecordedLeaf,
  getReport,
  getReportChange,
  type ExplainReports,
  getReportHistory,
  type ReadHistoryProgress,
  getReportPdf,
  getReportProof,
  type ReadProof,
  listReports,
  type ReportListing,
  type ReportReader,
} from '@cupel/reports/routes'
import { type Endpoint, type Traffic, describeApi } from '@cupel/gate/http'
import {
  listAuditLog,
  type AuditListing,
  getUsage,
  type UsageParts,
  listUsageDays,
  type UsageDayParts,
} from '@cupel/audit/routes'
import {
  demoEndpoints,
  listImportEndpoints,
  type ListImportParts,
  searchLabelsEndpoint,
  listLists,
  type Lists,
  ownLabelEndpoints,
} from '@cupel/labels/routes'
import { type HealthParts, getInstallationHealth, getHealth, getReadiness } from '@cupel/operation/routes'
import {
  getDocs,
  getOpenapi,
  listChains,
  getPostmanCollection,
  getProblemPage,
} from '@cupel/reference/routes'
import { ledgerEndpoints } from '@cupel/ledger/routes'
import { inboxEndpoints, watchEndpoints, type WatchParts } from '@cupel/watches/routes'
import { policyEndpoints, type PolicyParts } from '@cupel/policy/routes'
import {
  getLogCheckpoint,
  type ReadLogCheckpoint,
  getLogTile,
  type ReadLogTile,
  openToEverybody,
} from '@cupel/evidence/routes'
import { postmanCollection, problemPages, renderReferencePage, searchPages } from '@cupel/reference/page'
import { webhooksInOrder, webhookEndpoints, type WebhookParts } from '@cupel/webhooks/routes'
import {
  sessionEndpoints,
  type SessionParts,
  accountEndpoints,
  keyEndpoints,
  type KeyParts,
} from '@cupel/accounts/routes'
import { createReadCaseText, getCaseDossier, caseEndpoints, type CaseParts } from '@cupel/cases/routes'
import { shareEndpoints, type SharingParts } from '@cupel/sharing/routes'
import {
  transferEndpoints,
  type TransferReads,
  createScreen,
  type AsOfScreens,
  type Screens,
} from '@cupel/screening/routes'

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
  readonly policy: PolicyParts
  readonly keys: KeyParts
  readonly usage: UsageParts & UsageDayParts
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
  const described = once(() => describeApi(endpoints, webhooksInOrder))
  const searched = once(() => searchPages(described()))
  const problems = once(() => problemPages(described()))
  const texts = keptTexts()
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
    ...caseEndpoints(parts.cases, parts.transparency.readProof, parts.bulk.largeReads),
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
    ...ledgerEndpoints({ ...parts.listImports, policyInForce: parts.policy.policyInForce }),
    ...policyEndpoints(parts.policy),
    ...keyEndpoints(parts.keys),
    ...accountEndpoints(parts.keys),
    getUsage(parts.usage),
    listUsageDays(parts.usage),
    ...sessionEndpoints(parts.sessions),
    listAuditLog(parts.auditListing, parts.bulk.largeReads),
    ...logEndpoints(parts.transparency),
    listChains(parts.listing.tokens),
    getOpenapi(() => texts('/openapi.json', () => JSON.stringify(described()))),
    getPostmanCollection(() => texts('/postman.json', () => JSON.stringify(postmanCollection(described())))),
    getDocs((words) =>
      words === '' ? texts('/docs', () => renderReferencePage(described())) : searched()(words),
    ),
    getProblemPage((code) => texts(`/problems/${code}`, () => problems()(code))),
    getInstallationHealth(parts.health),
    getHealth(),
    getReadiness(parts.failing),
  ]
  return endpoints
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | null = null
  return () => (made ??= { value: make() }).value
}

/** Texts that strangers may ask for at any rate: each is made once, and kept as the bytes that are sent. */
function keptTexts(): (path: string, make: () => string) => Uint8Array {
  const kept = new Map<string, Uint8Array>()
  return (path, make) => {
    const bytes = kept.get(path) ?? Buffer.from(make())
    kept.set(path, bytes)
    return bytes
  }
}

function logEndpoints({ readCheckpoint, readTile, publicReads }: TransparencyParts): readonly Endpoint[] {
  const endpoints = [getLogCheckpoint(readCheckpoint), getLogTile(readTile)]
  return publicReads === null ? endpoints : openToEverybody(endpoints, publicReads)
}
