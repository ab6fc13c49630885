export { type LatestReports, keepLatestReports } from './keep-latest-reports.js'
