/** Asks the witnesses of the installation, if it has any, to cosign its checkpoints. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { ConfigError } from '@cupel/service-kit'
import {
  forgetWitnesses,
  readWitnessSettings,
  startWitnesses,
  WitnessesFileError,
  type EvidenceSettings,
  type RunningWitnesses,
  type WitnessSettings,
} from '@cupel/transparency'

interface Parts extends EvidenceSettings {
  /** Value of CUPEL_WITNESSES_FILE. */
  readonly file: string | undefined
  readonly log: EventLog
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Null if no file is named. Throws ConfigError if the file cannot be used. */
export async function askWitnesses({ file, ...parts }: Parts): Promise<RunningWitnesses | null> {
  if (file === undefined) {
    await forgetWitnesses(parts.database)
    return null
  }
  return startWitnesses({ ...parts, settings: settingsIn(file) })
}

function settingsIn(file: string): WitnessSettings {
  try {
    return readWitnessSettings(file)
  } catch (error) {
    if (!(error instanceof WitnessesFileError)) throw error
    throw new ConfigError(error.message, { cause: error })
  }
}
