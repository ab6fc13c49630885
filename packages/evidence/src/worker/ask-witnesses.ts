/** Asks the witnesses of the installation, if it has any, to cosign its checkpoints. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { ConfigError } from '@cupel/kit/service'
import {
  forgetWitnesses,
  readWitnessSettings,
  startWitnesses,
  WitnessesFileError,
  type EvidenceSettings,
  type RunningWitnesses,
  type WitnessSettings,
} from '../transparency/index.js'

interface Parts extends EvidenceSettings {
  /** Null if no file names witnesses. */
  readonly settings: WitnessSettings | null
  readonly log: EventLog
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Null if the installation has no witnesses. */
export async function askWitnesses({ settings, ...parts }: Parts): Promise<RunningWitnesses | null> {
  if (settings !== null) return startWitnesses({ ...parts, settings })
  await forgetWitnesses(parts.database)
  return null
}

/** Of the file that CUPEL_WITNESSES_FILE names; null if none is named. Throws ConfigError if the file cannot be used. */
export function witnessesIn(file: string | undefined): WitnessSettings | null {
  try {
    return file === undefined ? null : readWitnessSettings(file)
  } catch (error) {
    if (!(error instanceof WitnessesFileError)) throw error
    throw new ConfigError(error.message, { cause: error })
  }
}
