/** `npm run bench`: latency, throughput, start-up and memory, beside the floor of the log alone. */
export { runBench, type BenchOptions } from './run-bench.js'
export { renderMarkdown, type BenchResults } from './results.js'
/** `npm run bench -- --only cost`: the cost of one screen, beside the budgets of docs/performance.md. */
export { readBudgets } from './cost/budgets.js'
export { renderCost } from './cost/render.js'
export { runCost, type CostOptions, type CostResults } from './cost/run-cost.js'
/** `npm run bench:judgement`: precision and recall of the judgement on real lists. */
export {
  isRight,
  runJudgement,
  type JudgementOptions,
  type JudgementResults,
} from './judgement/run-judgement.js'
export { renderJudgement } from './judgement/render.js'
export { withPostgres } from './judgement/with-postgres.js'
/** `npm run bench:providers`: latency of screens with quick and slow providers of chain data. */
export {
  renderProviders,
  runProviders,
  type ProvidersOptions,
  type ProvidersResults,
} from './providers/run-providers.js'
/** `npm run bench:bulk`: speed of bulk jobs, and their effect on interactive screens. */
export { runBulk, type BulkOptions, type BulkResults } from './bulk/run-bulk.js'
export { renderBulk } from './bulk/render.js'
/** `npm run bench:webhooks`: speed of webhooks, and whether receivers that hang delay others. */
export { runWebhooks, type WebhookOptions, type WebhookResults } from './webhooks/run-webhooks.js'
export { renderWebhooks } from './webhooks/render.js'
/** `npm run bench:neighbours`: the effect of strangers and of other customers on a customer. */
export { runNeighbours, type NeighboursOptions, type NeighboursResults } from './neighbours/run-neighbours.js'
export { renderNeighbours } from './neighbours/render.js'
/** Rounds of three turns: the change of a latency percentile under another load. */
export { arrivals } from './load.js'
export { compareRounds, percentileOf, turnsOfRound } from './rounds.js'
/** `npm run bench:evidence`: the share of MACs and signatures in the CPU of a screen. */
export { runEvidence, type EvidenceOptions, type EvidenceResults } from './evidence/run-evidence.js'
export { renderEvidence } from './evidence/render.js'
/** `npm run bench:leaves`: the cost of transparency log leaves for screens. */
export { runLeaves, type LeavesOptions, type LeavesResults } from './leaves/run-leaves.js'
export { renderLeaves } from './leaves/render.js'
/** `npm run bench:archive`: how fast a log is archived, and an archive verified. */
export { runArchive, type ArchiveOptions, type ArchiveResults } from './archive/run-archive.js'
export { renderArchive } from './archive/render.js'
export { renderExposure, runExposure, type ExposureOptions } from './exposure/run-exposure.js'
/** `npm run bench:least`: the rate of the least screen of this architecture, beside the bare echo and a real screen. */
export { runLeastScreen, type LeastOptions, type LeastResults } from './least-screen/run-least-screen.js'
export { renderLeastScreen } from './least-screen/render.js'
/** `npm run bench:labels`: how fast the labels of a batch are looked up. */
export { renderLookUp, runLookUp, type LookUpOptions } from './label-look-up/run-look-up.js'
/** `npm run bench:watches`: the time until a change of a list is notified, and its effect on interactive screens. */
export { runWatches, type WatchesOptions, type WatchesResults } from './watches/run-watches.js'
export { renderWatches } from './watches/render.js'
