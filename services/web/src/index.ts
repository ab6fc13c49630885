export { startWeb } from './start-web.js'
export type { RunningWeb, WebDeps } from './start-web.js'
