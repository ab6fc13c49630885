export { type ResultChoice, chooseResults } from './chosen-results.js'
export {
  type FoundJob,
  type FoundOverview,
  type NotFound,
  type Turn,
  findJob,
  findOverview,
  findResults,
} from './find-job.js'
export { readOverview } from './job-overview.js'
export { readJobStates } from './job-states.js'
export { type JobPage, type JobSummary, listJobs, readEndedLevels } from './list-jobs.js'
export {
  type JobItem,
  type JobOverview,
  type JobReading,
  type ResultStretch,
  readEndedResults,
  readItemReports,
  readJob,
} from './queries.js'
export { jobView } from './reducers.js'
