/** Reads the places of an installation's signing keys and published files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@cupel/kit/service'
import { isS3Address, s3Connection, type S3Config } from '@cupel/kit/object-store'
import { readSigningKeys, type SigningKeys } from '@cupel/signing'
import { publishedBucket } from '../store/published-bucket.js'
import { publishedFolder } from '../store/published-folder.js'
import type { PublishedStore } from '../store/published-store.js'

export const SIGNING_KEYS_FILE = 'signing-keys.json'
/** Folder of the published files in the home. */
export const CHECKPOINTS_FOLDER = 'checkpoints'

export interface SigningConfig {
  readonly CUPEL_HOME: string
  readonly CUPEL_SIGNING_KEYS_FILE?: string | undefined
}

export interface EvidenceConfig extends SigningConfig, S3Config {
  readonly CUPEL_LOG_PREFIX?: string | undefined
  readonly CUPEL_CHECKPOINT_FOLDER?: string | undefined
  readonly CUPEL_CHECKPOINT_INTERVAL_MS: number
}

export interface EvidenceSettings {
  readonly keys: SigningKeys
  /** In which the transparency log is published: first the home's folder, then those of copies. */
  readonly stores: readonly PublishedStore[]
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

type StoreConfig = SigningConfig & S3Config & Pick<EvidenceConfig, 'CUPEL_CHECKPOINT_FOLDER'>
type Warn = (sentence: string) => void

/**
 * The stores in which the transparency log of the installation is, or would be, published. Throws ConfigError if the settings of an object
 * store are incomplete, or if its address is not valid.
 */
export function evidenceStores(
  config: StoreConfig,
  warn: Warn,
): readonly [PublishedStore, ...PublishedStore[]] {
  const { CUPEL_HOME: home, CUPEL_SIGNING_KEYS_FILE: shared, CUPEL_CHECKPOINT_FOLDER: place } = config
  const ofHome = publishedFolder(join(home, CHECKPOINTS_FOLDER))
  if (place === undefined) return [ofHome]
  const store = openPublishedStore(place, config, warn)
  return shared === undefined ? [ofHome, store] : [store]
}

/** Published files in a folder, or in `s3://bucket/prefix` of the store of the settings. Throws as above. */
export function openPublishedStore(place: string, config: S3Config, warn: Warn): PublishedStore {
  if (!isS3Address(place)) return publishedFolder(place)
  try {
    return publishedBucket(place, s3Connection('A store of checkpoints', config, warn))
  } catch (cause) {
    if (cause instanceof RangeError) throw new ConfigError(cause.message, { cause })
    throw cause
  }
}

/**
 * Null if the installation has no signing keys. If the keys are in the home, so are the published files. Keys from elsewhere mean several
 * machines, and all of them need one store: throws ConfigError without it, and if the keys have another name than the one that
 * is configured; SigningKeysError if the keys cannot be used.
 */
export function evidenceSettings(config: EvidenceConfig, warn: Warn): EvidenceSettings | null {
  const {
    CUPEL_SIGNING_KEYS_FILE: shared,
    CUPEL_CHECKPOINT_FOLDER: folder,
    CUPEL_LOG_PREFIX: prefix,
  } = config
  const keys = installationKeys(config)
  if (keys === null) return null
  if (shared !== undefined && folder === undefined)
    throw new ConfigError(
      'CUPEL_SIGNING_KEYS_FILE needs CUPEL_CHECKPOINT_FOLDER: a folder for checkpoints that every projector can write, or s3://bucket/prefix.',
    )
  const { name } = keys.signer.key
  if (prefix !== undefined && prefix !== name)
    throw new ConfigError(
      `CUPEL_LOG_PREFIX is ${prefix}, and ${signingKeysFile(config)} has keys of ${name}: a log keeps the name with which its first key was made.`,
    )
  return {
    keys,
    stores: evidenceStores(config, warn),
    intervalMs: config.CUPEL_CHECKPOINT_INTERVAL_MS,
  }
}
