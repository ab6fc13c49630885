export { openEmbeddedLog } from './embedded-log.js'
export { forgetGroupMembers } from './group-member.js'
export type { EmbeddedLogOptions } from './embedded-log.js'
