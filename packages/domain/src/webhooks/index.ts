export * from './delivery.js'
export * from './retry-schedule.js'
export * from './webhook-body.js'
export type * from './webhook-facts.js'
