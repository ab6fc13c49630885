/** `npm run bench`: what the platform takes, beside the floor below which its log alone does not go. */
export { runBench, type BenchOptions } from './run-bench.js'
export { renderMarkdown, type BenchResults } from './results.js'
/** `npm run bench:judgement`: how right the judgement is on real lists. */
export {
  isRight,
  runJudgement,
  type JudgementOptions,
  type JudgementResults,
} from './judgement/run-judgement.js'
export { renderJudgement } from './judgement/render.js'
export { withPostgres } from './judgement/with-postgres.js'
/** `npm run bench:providers`: how long screens take beside quick and slow providers of chain data. */
export {
  renderProviders,
  runProviders,
  type ProvidersOptions,
  type ProvidersResults,
} from './providers/run-providers.js'
/** `npm run bench:bulk`: how fast bulk jobs are, and what they cost those who screen beside them. */
export { runBulk, type BulkOptions, type BulkResults } from './bulk/run-bulk.js'
export { renderBulk } from './bulk/render.js'
/** `npm run bench:webhooks`: how fast webhooks are sent, and whether receivers that hang delay others. */
export { runWebhooks, type WebhookOptions, type WebhookResults } from './webhooks/run-webhooks.js'
export { renderWebhooks } from './webhooks/render.js'
export { renderExposure, runExposure, type ExposureOptions } from './exposure/run-exposure.js'
