/** `npm run bench`: what the platform takes, beside the floor below which its log alone does not go. */
export { runBench, type BenchOptions } from './run-bench.js'
export { renderMarkdown, type BenchResults } from './results.js'
