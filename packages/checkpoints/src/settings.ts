/** Reads the places of an installation's signing keys and checkpoints. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSigningKeys } from '@cupel/signing'
import type { CheckpointSettings } from './run-checkpoints.js'

export const SIGNING_KEYS_FILE = 'signing-keys.json'
/** Folder of the checkpoints in the home. */
export const CHECKPOINTS_FOLDER = 'checkpoints'

export interface CheckpointConfig {
  readonly CUPEL_HOME: string
  readonly CUPEL_SIGNING_KEYS_FILE?: string | undefined
  readonly CUPEL_CHECKPOINT_FOLDER?: string | undefined
  readonly CUPEL_CHECKPOINT_INTERVAL_MS: number
}

/** A setting that the others need is missing; the message is a sentence. */
export class CheckpointConfigError extends Error {
  override readonly name = 'CheckpointConfigError'
}

export function signingKeysFile(
  config: Pick<CheckpointConfig, 'CUPEL_HOME' | 'CUPEL_SIGNING_KEYS_FILE'>,
): string {
  return config.CUPEL_SIGNING_KEYS_FILE ?? join(config.CUPEL_HOME, SIGNING_KEYS_FILE)
}

/**
 * Null if the installation has no signing keys. If the keys are in the home, so are the checkpoint files. Keys from elsewhere mean several
 * machines, and all of them need one folder: throws CheckpointConfigError without it, and SigningKeysError if the keys cannot be used.
 */
export function checkpointSettings(config: CheckpointConfig): CheckpointSettings | null {
  const { CUPEL_HOME: home, CUPEL_SIGNING_KEYS_FILE: shared, CUPEL_CHECKPOINT_FOLDER: folder } = config
  const file = signingKeysFile(config)
  if (shared === undefined && !existsSync(file)) return null
  if (shared !== undefined && folder === undefined)
    throw new CheckpointConfigError(
      'CUPEL_SIGNING_KEYS_FILE needs CUPEL_CHECKPOINT_FOLDER: a folder for checkpoints that every projector can write.',
    )
  const ofHome = shared === undefined ? [join(home, CHECKPOINTS_FOLDER)] : []
  return {
    keys: readSigningKeys(file),
    folders: [...ofHome, ...(folder === undefined ? [] : [folder])],
    intervalMs: config.CUPEL_CHECKPOINT_INTERVAL_MS,
  }
}
