export { startApi } from './start-api.js'
