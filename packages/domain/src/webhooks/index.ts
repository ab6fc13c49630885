export * from './delivery.js'
export * from './retry-schedule.js'
export * from './webhook-body.js'
