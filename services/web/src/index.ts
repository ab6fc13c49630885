export { startWeb, type RunningWeb } from './start-web.js'
