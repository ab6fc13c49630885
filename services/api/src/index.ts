export { openapiDocument } from './openapi-document.js'
export { startApi } from './start-api.js'
export type { ApiDeps, RunningApi } from './start-api.js'
