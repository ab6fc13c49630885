export {
  addressOfKey,
  forgottenReportRecord,
  latestReportKey,
  latestReportRecord,
} from './latest-report-topic.js'
export {
  type LatestReport,
  latestReportsAmong,
  latestReportsOf,
  reportedAddressesOf,
} from './latest-reports.js'
export {
  type ReportCursor,
  type ReportFilter,
  type ReportOwner,
  type ReportPage,
  type StoredReport,
  findReportPlace,
  getReport,
  listReportPlaces,
  listReports,
  listWholeReports,
} from './queries.js'
export { documentMac } from './document-mac.js'
export { retirementFinder } from './find-retirement.js'
export { reportView } from './reducers.js'
export {
  documentReader,
  documentsOf,
  type FindRetirement,
  type ReadDocuments,
  type StoredDocument,
  storedDocument,
  unreadReport,
} from './stored-documents.js'
