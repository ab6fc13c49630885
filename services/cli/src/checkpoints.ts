/** The checkpoints of the installation that a command works on. */
import {
  CheckpointConfigError,
  checkpointSettings,
  CheckpointsStoppedError,
  type CheckpointSettings,
} from '@cupel/checkpoints'
import type { Config } from '@cupel/service-kit'
import { SigningKeysError } from '@cupel/signing'
import type { CliContext } from './context.js'
import { CommandError, EXIT_CONFIG, EXIT_FAILED } from './explain.js'

/** Null where the installation has no signing keys. Throws a CommandError where they cannot be used. */
export function installationCheckpoints(context: CliContext, config: Config): CheckpointSettings | null {
  try {
    return checkpointSettings({ ...config, CUPEL_HOME: context.home })
  } catch (cause) {
    if (!(cause instanceof SigningKeysError) && !(cause instanceof CheckpointConfigError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

/** Throws the refusal as a CommandError, and everything else as it is. */
export function refusedCheckpoints(cause: unknown): never {
  if (!(cause instanceof CheckpointsStoppedError)) throw cause
  throw new CommandError(cause.message, EXIT_FAILED, { cause })
}
