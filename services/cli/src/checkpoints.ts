/** The checkpoints of the installation that a command works on. */
import { join } from 'node:path'
import {
  CHECKPOINTS_FOLDER,
  CheckpointConfigError,
  checkpointSettings,
  CheckpointsStoppedError,
  readReportSigningKeys,
  type CheckpointSettings,
} from '@cupel/checkpoints'
import type { Config } from '@cupel/service-kit'
import {
  purposeOf,
  SigningKeysError,
  verifier,
  type PublicKey,
  type SigningKeys,
  type Verifier,
} from '@cupel/signing'
import type { CliContext } from './context.js'
import { CommandError, EXIT_CONFIG, EXIT_FAILED } from './explain.js'

/** Null if the installation has no signing keys. Throws a CommandError if they cannot be used. */
export function installationCheckpoints(context: CliContext, config: Config): CheckpointSettings | null {
  try {
    return checkpointSettings({ ...config, CUPEL_HOME: context.home })
  } catch (cause) {
    if (!(cause instanceof SigningKeysError) && !(cause instanceof CheckpointConfigError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

/** The keys of reports; null if the installation has none. Throws a CommandError if they cannot be used. */
export function installationReportKeys(context: CliContext, config: Config): SigningKeys | null {
  try {
    return readReportSigningKeys({ ...config, CUPEL_HOME: context.home })
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

/** The references for a comparison of the log: the folder that is farthest from writers of the home, and the keys that sign checkpoints. */
export interface ComparedWith {
  readonly folder: string
  readonly verifier: Verifier
}

/** With the keys of an auditor only the checkpoints of the installation are read. Null if there are no keys of checkpoints. */
export function comparedWith(
  context: CliContext,
  config: Config,
  publicKeys: readonly PublicKey[] | null,
): ComparedWith | null {
  if (publicKeys === null) {
    const settings = installationCheckpoints(context, config)
    return settings === null ? null : { folder: settings.folders.at(-1)!, verifier: settings.keys.verifier }
  }
  const keys = publicKeys.filter((key) => purposeOf(key) === 'checkpoints')
  if (keys.length === 0) return null
  return {
    folder: config.CUPEL_CHECKPOINT_FOLDER ?? join(context.home, CHECKPOINTS_FOLDER),
    verifier: verifier(keys),
  }
}

/** Throws the refusal as a CommandError, and any other error unchanged. */
export function refusedCheckpoints(cause: unknown): never {
  if (!(cause instanceof CheckpointsStoppedError)) throw cause
  throw new CommandError(cause.message, EXIT_FAILED, { cause })
}
