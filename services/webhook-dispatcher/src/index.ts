export { DISPATCHER_GROUP, endOfJob } from './follow-jobs.js'
export type { ReadEndedJob } from './read-ended-job.js'
export * from './start-webhook-dispatcher.js'
