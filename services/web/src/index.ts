export { startWeb } from './start-web.js'
export type { RunningWeb } from './start-web.js'
