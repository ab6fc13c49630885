/** Opens the histories on demand of a scorer, where the operator asks for them. */
import { ConfigError, type Config } from '@cupel/kit/service'
import { openDatabase } from '@cupel/postgres'
import type { ProviderConfig } from '../index.js'
import { countedNames } from './counted-names.js'
import type { HistoryJobsDeps } from './history-jobs.js'
import { createHistoryStage, type HistoryStage } from './history-stage.js'

/** Two readings at once, each with its lock, the lock of its import, and a transaction. */
const MAX_CONNECTIONS = 6

export type HistoryConfig = Partial<
  Pick<
    Config,
    | 'CUPEL_HISTORIES'
    | 'CUPEL_HISTORY_FOLDER'
    | 'CUPEL_HISTORY_MAX_AGE_MS'
    | 'CUPEL_HISTORY_CALLS_PER_SCREEN'
    | 'CUPEL_HISTORY_CALLS_PER_DAY'
    | 'CUPEL_HISTORY_CALLS_PER_SECOND'
    | 'CUPEL_HISTORY_COUNTERPARTIES'
  >
>

export interface OpenHistoryStageDeps extends Pick<
  HistoryJobsDeps,
  'database' | 'ledgerSeq' | 'now' | 'logger' | 'metrics'
> {
  readonly config: HistoryConfig
  /** The providers of the operator's own file; public ones give no histories. */
  readonly providers: readonly ProviderConfig[]
}

/** Undefined where no histories are asked for. Throws a ConfigError for settings that cannot be meant. */
export async function openHistoryStage({
  config,
  providers,
  ...deps
}: OpenHistoryStageDeps): Promise<HistoryStage | undefined> {
  if (config.CUPEL_HISTORIES !== true) return undefined
  const folder = config.CUPEL_HISTORY_FOLDER
  if (folder === undefined) throw new ConfigError('CUPEL_HISTORIES needs CUPEL_HISTORY_FOLDER')
  const { openHistories } = await import('../index.js')
  const { now } = deps
  const histories = openHistories({ ...deps, providers, now: () => now().getTime() })
  if (!providers.some(({ chain }) => histories.of(chain).length > 0))
    throw new ConfigError('CUPEL_HISTORIES needs a provider in CUPEL_CHAIN_DATA_FILE that gives histories')
  const database = openDatabase({ ...deps.database.connection, maxConnections: MAX_CONNECTIONS })
  deps.logger.info({}, 'Addresses are sent to providers of histories')
  const stage = createHistoryStage({
    ...{ ...deps, histories, database, folder, maxAgeMs: config.CUPEL_HISTORY_MAX_AGE_MS! },
    countedAs: countedNames(providers),
    limits: {
      callsPerScreen: config.CUPEL_HISTORY_CALLS_PER_SCREEN!,
      callsPerDay: config.CUPEL_HISTORY_CALLS_PER_DAY!,
      callsPerSecond: config.CUPEL_HISTORY_CALLS_PER_SECOND!,
      counterparties: config.CUPEL_HISTORY_COUNTERPARTIES!,
    },
  })
  let ended: Promise<void> | null = null
  const end = async (): Promise<void> => {
    await stage.stop()
    await database.close()
  }
  return { ...stage, stop: () => (ended ??= end()) }
}
