/** Reads the places of an installation's signing keys and published files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@cupel/kit/service'
import { readSigningKeys, type SigningKeys } from '@cupel/signing'

export const SIGNING_KEYS_FILE = 'signing-keys.json'
/** Folder of the published files in the home. */
export const CHECKPOINTS_FOLDER = 'checkpoints'

export interface SigningConfig {
  readonly CUPEL_HOME: string
  readonly CUPEL_SIGNING_KEYS_FILE?: string | undefined
}

export interface EvidenceConfig extends SigningConfig {
  readonly CUPEL_LOG_PREFIX?: string | undefined
  readonly CUPEL_CHECKPOINT_FOLDER?: string | undefined
  readonly CUPEL_CHECKPOINT_INTERVAL_MS: number
}

export interface EvidenceSettings {
  readonly keys: SigningKeys
  /** Folders in which the transparency log is published: first the home's, then those of copies. */
  readonly folders: readonly string[]
  readonly intervalMs: number
}

export function signingKeysFile(config: SigningConfig): string {
  return config.CUPEL_SIGNING_KEYS_FILE ?? join(config.CUPEL_HOME, SIGNING_KEYS_FILE)
}

/** Null if the installation has no signing keys. Throws SigningKeysError if they cannot be used. */
export function installationKeys(config: SigningConfig): SigningKeys | null {
  const file = signingKeysFile(config)
  return config.CUPEL_SIGNING_KEYS_FILE === undefined && !existsSync(file) ? null : readSigningKeys(file)
}

/** The folders in which the transparency log of the installation is, or would be, published. */
export function evidenceFolders(
  config: SigningConfig & Pick<EvidenceConfig, 'CUPEL_CHECKPOINT_FOLDER'>,
): readonly [string, ...string[]] {
  const { CUPEL_HOME: home, CUPEL_SIGNING_KEYS_FILE: shared, CUPEL_CHECKPOINT_FOLDER: folder } = config
  const ofHome = join(home, CHECKPOINTS_FOLDER)
  if (folder === undefined) return [ofHome]
  return shared === undefined ? [ofHome, folder] : [folder]
}

/**
 * Null if the installation has no signing keys. If the keys are in the home, so are the published files. Keys from elsewhere mean several
 * machines, and all of them need one folder: throws ConfigError without it, and if the keys have another name than the one that
 * is configured; SigningKeysError if the keys cannot be used.
 */
export function evidenceSettings(config: EvidenceConfig): EvidenceSettings | null {
  const {
    CUPEL_SIGNING_KEYS_FILE: shared,
    CUPEL_CHECKPOINT_FOLDER: folder,
    CUPEL_LOG_PREFIX: prefix,
  } = config
  const keys = installationKeys(config)
  if (keys === null) return null
  if (shared !== undefined && folder === undefined)
    throw new ConfigError(
      'CUPEL_SIGNING_KEYS_FILE needs CUPEL_CHECKPOINT_FOLDER: a folder for checkpoints that every projector can write.',
    )
  const { name } = keys.signer.key
  if (prefix !== undefined && prefix !== name)
    throw new ConfigError(
      `CUPEL_LOG_PREFIX is ${prefix}, and ${signingKeysFile(config)} has keys of ${name}: a log keeps the name with which its first key was made.`,
    )
  return {
    keys,
    folders: evidenceFolders(config),
    intervalMs: config.CUPEL_CHECKPOINT_INTERVAL_MS,
  }
}
