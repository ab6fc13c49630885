/** What `npm run bench -- WHAT` measures. Each kind has one function, which returns a table and its figures as JSON. */
import type { BenchOptions, Outcome } from './options.js'
import type { Profile } from './system.js'

export interface Kind {
  /** Default of `size`. */
  readonly size: number
  /** Default profiles. */
  readonly profiles: readonly Profile[]
  readonly run: (options: BenchOptions) => Promise<Outcome>
}

/** Modules are loaded only by the run that needs them. */
export const kinds: Readonly<Record<string, Kind>> = {
  load: {
    ...{ size: 1_000, profiles: ['embedded', 'kafka'] },
    run: async (options) => await (await import('./run-load.js')).runLoad(options),
  },
  cost: {
    ...{ size: 0, profiles: ['kafka'] },
    run: async (options) => await (await import('./run-cost.js')).runCost(options),
  },
  guard: {
    ...{ size: 1_000, profiles: ['embedded', 'kafka'] },
    run: async (options) => await (await import('./run-guard.js')).runGuard(options),
  },
  judgement: {
    ...{ size: 0, profiles: [] },
    run: async (options) => await (await import('./run-judgement.js')).runJudgement(options),
  },
  ledger: {
    ...{ size: 2_000_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./ledger/run-ledger.js')).runLedger(options),
  },
  archive: {
    ...{ size: 100_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-archive.js')).runArchive(options),
  },
  neighbours: {
    ...{ size: 1_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-neighbours.js')).runNeighbours(options),
  },
  watches: {
    ...{ size: 100_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-watches.js')).runWatches(options),
  },
  web: {
    ...{ size: 1_000_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-web.js')).runWeb(options),
  },
}
