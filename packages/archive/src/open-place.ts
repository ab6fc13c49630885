/** The store of an archive: a folder, or `s3://bucket/prefix` in the store of the settings. */
import { readFileSync } from 'node:fs'
import { ConfigError, requireVerifiedPeers, urlPeer, type Config } from '@cupel/kit/service'
import { openFolderStore } from './folder-store.js'
import { isS3Address } from './s3/s3-address.js'
import { openS3Store } from './s3/s3-store.js'
import type { ArchiveStore } from './store.js'

/** Throws ConfigError if the settings of the store are incomplete, and RangeError for an invalid address. */
export function openPlace(place: string, config: Config, warn: (sentence: string) => void): ArchiveStore {
  return isS3Address(place) ? openS3Store(place, s3Connection(config, warn)) : openFolderStore(place)
}

function s3Connection(config: Config, warn: (sentence: string) => void) {
  const { CUPEL_S3_REGION: region, CUPEL_S3_CA_FILE: caFile, CUPEL_S3_SESSION_TOKEN: sessionToken } = config
  const { CUPEL_S3_ACCESS_KEY_ID: accessKeyId, CUPEL_S3_SECRET_ACCESS_KEY: secretAccessKey } = config
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError(
      'An archive in a store needs CUPEL_S3_ACCESS_KEY_ID, and CUPEL_S3_SECRET_ACCESS_KEY or its file.',
    )
  const endpoint = config.CUPEL_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  const peer = { name: 'The store', setting: 'CUPEL_S3_ENDPOINT', exception: 'CUPEL_S3_INSECURE' } as const
  requireVerifiedPeers([urlPeer(endpoint, peer)], config, warn)
  return {
    ...{ endpoint, region },
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...(caFile === undefined ? {} : { ca: readCa(caFile) }),
  }
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`CUPEL_S3_CA_FILE cannot be read: ${(error as Error).message}`)
  }
}
