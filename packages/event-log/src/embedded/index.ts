export { openEmbeddedLog } from './embedded-log.js'
export type { EmbeddedLogOptions } from './embedded-log.js'
