/** Follows a chain from the operator's own node: reads its confirmed blocks in order and imports them as segments of the ledger. */
export { bitcoinNode, bitcoinNumbers } from './bitcoin/bitcoin-node.js'
export { evmNode } from './evm/evm-node.js'
export { follow } from './follow.js'
export type { FollowDeps, FollowOptions, FollowProgress } from './follow-options.js'
export { FollowError } from './follow-error.js'
export { openNodeClient, type NodeClient } from './node-client.js'
export { openNode, usualOf } from './open-node.js'
export type { ChainNode, NodeBlock } from './chain-node.js'
