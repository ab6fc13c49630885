export { openEmbeddedLog } from './embedded-log.js'
export { forgetGroupMembers } from './group-member.js'
