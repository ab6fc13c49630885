/** `npm run bench -- WHAT`: the measurements that scripts/bench.mjs prints. */
export { kinds, type Kind } from './bench.js'
export type { Outcome } from './options.js'
