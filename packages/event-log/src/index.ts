export * from './port.js'
export type * from './event-codec.js'
