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
} from './queries.js'
export { reportView } from './reducers.js'
