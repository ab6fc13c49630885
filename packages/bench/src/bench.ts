/** What `npm run bench -- WHAT` measures. Each kind has one function, and returns a table and its figures as JSON. */
import type { BenchOptions, Outcome } from './options.js'
import type { Profile } from './system.js'

export interface Kind {
  readonly parts: readonly string[]
  /** Default of `size`. */
  readonly size: number
  /** Default profiles. */
  readonly profiles: readonly Profile[]
  readonly run: (options: BenchOptions) => Promise<Outcome>
}

/** Modules are loaded only by the run that needs them. */
export const kinds: Readonly<Record<string, Kind>> = {
  load: {
    ...{ parts: ['echo', 'floor', 'screen', 'bulk'], size: 1_000, profiles: ['embedded', 'kafka'] },
    run: async (options) => await (await import('./run-load.js')).runLoad(options),
  },
  cost: {
    ...{ parts: [], size: 0, profiles: ['kafka'] },
    run: async (options) => await (await import('./run-cost.js')).runCost(options),
  },
  guard: {
    ...{ parts: ['idle', 'screen', 'bulk', 'labels'], size: 1_000, profiles: ['embedded', 'kafka'] },
    run: async (options) => await (await import('./run-guard.js')).runGuard(options),
  },
  judgement: {
    ...{ parts: [], size: 10_000, profiles: [] },
    run: async (options) => await (await import('./judgement/measure.js')).measureJudgement(options),
  },
  answers: {
    ...{ parts: [], size: 0, profiles: [] },
    run: async (options) => await (await import('./run-answers.js')).runAnswers(options),
  },
  scale: {
    ...{ parts: [], size: 1_000_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-scale.js')).runScale(options),
  },
  ledger: {
    ...{ parts: ['7', '100', 'histories', 'follow'], size: 2_000_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./ledger/run-ledger.js')).runLedger(options),
  },
  archive: {
    ...{ parts: [], size: 100_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-archive.js')).runArchive(options),
  },
  neighbours: {
    ...{ parts: [], size: 1_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-neighbours.js')).runNeighbours(options),
  },
  web: {
    ...{ parts: [], size: 1_000_000, profiles: ['embedded'] },
    run: async (options) => await (await import('./run-web.js')).runWeb(options),
  },
}
