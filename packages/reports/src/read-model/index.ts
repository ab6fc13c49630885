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
export { retirementFinder } from './find-retirement.js'
export { reportView } from './reducers.js'
export {
  documentReader,
  documentsOf,
  type FindRetirement,
  type ReadDocuments,
  type ReportPlace,
  storedDocument,
  unreadReport,
} from './stored-documents.js'
