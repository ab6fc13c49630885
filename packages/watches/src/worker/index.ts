export { followWatches } from './follow-watches.js'
export { MAX_SPLIT_AT_ONCE, SPLIT_PER_SECOND, createSplitChanges } from './split-changes.js'
export { findTouched } from './touched-watches.js'
