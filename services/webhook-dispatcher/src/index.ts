export {
  DISPATCHER_GROUP,
  endOfJob,
  changeIn,
  digestIn,
  failureIn,
  mailClientOf,
  mailStyleOf,
  type ReadEndedJob,
} from '@cupel/webhooks/worker'
export * from './start-webhook-dispatcher.js'
