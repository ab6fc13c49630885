export { inboxEndpoints } from './inbox/index.js'
export { watchEndpoints } from './watches/index.js'
export type { WatchParts } from './watches/watch-description.js'
