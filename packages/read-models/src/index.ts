import { auditView } from './audit-view/reducers.js'
import { caseView } from './case-view/reducers.js'
import { jobView } from './job-view/reducers.js'
import { labelView } from './label-view/reducers.js'
import { policyView } from './policy-view/reducers.js'
import { reportView } from './report-view/reducers.js'

export { auditView, caseView, jobView, labelView, policyView, reportView }
export * from './audit-view/queries.js'
export * from './audit-view/usage.js'
export { auditedData, callEvents, endOf } from './audit-view/recorded-call.js'
export type { CallEnd, CallEvent, RecordedCall, ScreenOutcome } from './audit-view/recorded-call.js'
export { chooseEndedResults, type ResultChoice } from './job-view/ended-results.js'
export { readEndedResults, readItemReports, readJob } from './job-view/queries.js'
export type { JobItem, JobReading, ResultStretch } from './job-view/queries.js'
export { readJobStates } from './job-view/job-states.js'
export { listJobs } from './job-view/list-jobs.js'
export type { JobPage, JobSummary } from './job-view/list-jobs.js'
export { findJob } from './job-view/find-job.js'
export type { FindJobOptions, FoundJob } from './job-view/find-job.js'
export * from './label-view/decision-facts.js'
export { readJudgedLists } from './label-view/judged-lists.js'
export * from './label-view/queries.js'
export * from './policy-view/queries.js'
export * from './report-view/queries.js'
export * from './tenancy.js'

/** Every read model there is, each with a checkpoint of its own. */
export const readModels = [policyView, labelView, reportView, auditView, jobView, caseView] as const
