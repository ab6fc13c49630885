import { auditView } from './audit-view/reducers.js'
import { caseView } from './case-view/reducers.js'
import { inboxView } from './inbox-view/reducers.js'
import { jobView } from './job-view/reducers.js'
import { labelView } from './label-view/reducers.js'
import { policyView } from './policy-view/reducers.js'
import { reportView } from './report-view/reducers.js'

export { auditView, caseView, inboxView, jobView, labelView, policyView, reportView }
export * from './audit-view/queries.js'
export * from './audit-view/usage.js'
export { auditedData, callEvents, endOf } from './audit-view/recorded-call.js'
export type { RecordedCall, ScreenOutcome } from './audit-view/recorded-call.js'
export { chooseResults, type ResultChoice } from './job-view/chosen-results.js'
export { readOverview } from './job-view/job-overview.js'
export { readEndedResults, readItemReports, readJob } from './job-view/queries.js'
export type { JobItem, JobOverview, JobReading, ResultStretch } from './job-view/queries.js'
export { readJobStates } from './job-view/job-states.js'
export { listJobs, readEndedLevels } from './job-view/list-jobs.js'
export type { JobPage, JobSummary } from './job-view/list-jobs.js'
export { findJob, findOverview, findResults } from './job-view/find-job.js'
export type { FoundJob, FoundOverview, NotFound, Turn } from './job-view/find-job.js'
export * from './label-view/decision-facts.js'
export { readJudgedLists } from './label-view/judged-lists.js'
export * from './label-view/queries.js'
export * from './label-view/search-labels.js'
export * from './own-labels/queries.js'
export * from './policy-view/queries.js'
export * from './policy-view/stated.js'
export * from './report-view/latest-report-topic.js'
export * from './report-view/latest-reports.js'
export * from './report-view/queries.js'
export * from './tenancy.js'

/** All read models, each with its own checkpoint. */
export const readModels = [
  policyView,
  labelView,
  reportView,
  auditView,
  jobView,
  caseView,
  inboxView,
] as const
