export { startBuildingBodies } from './build-bodies.js'
export { createDestinationGate } from './destination-gate.js'
export {
  DISPATCHER_GROUP,
  DISPATCHER_TOPICS,
  changeIn,
  digestIn,
  dispatcherReads,
  endOfJob,
  failureIn,
  followJobs,
} from './follow-jobs.js'
export { transferReader } from './screened-transfers.js'
export { type MailConfig, mailClientOf, mailStyleOf, openMail } from './open-mail.js'
export { type ReadEndedJob, readEndedJobFrom } from './read-ended-job.js'
export { startSending } from './send-deliveries.js'
export { startUpkeep } from './upkeep.js'
