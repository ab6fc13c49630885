// Generated from packages/domain/scorers.json by `npm run generate`. Do not edit.
import * as scorer_1_0_0 from './1.0.0/index.js'

export * from './1.0.0/index.js'

export const CURRENT_SCORER_VERSION = '1.0.0'

export const scorers = {
  '1.0.0': scorer_1_0_0,
} as const
