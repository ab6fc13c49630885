/** Follows a chain from the operator's own node: reads its confirmed blocks in order and imports them as segments of the ledger. */
export { follow } from './follow.js'
export type { FollowProgress } from './follow-options.js'
export { FollowError } from './follow-error.js'
export { openNode, usualOf, type Traces } from './open-node.js'
