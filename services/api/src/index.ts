export { openapiDocument } from './openapi-document.js'
export { startApi, type ApiDeps, type RunningApi } from './start-api.js'
