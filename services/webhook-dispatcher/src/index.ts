export { DISPATCHER_GROUP, dispatcherDeadLetterTopic } from './follow-jobs.js'
export type { ReadEndedJob } from './build-bodies.js'
export * from './start-webhook-dispatcher.js'
