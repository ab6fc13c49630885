/** The place of the archive of a command: a folder, or `s3://bucket/prefix` in the store of the settings. */
import { readFileSync } from 'node:fs'
import { isS3Address, openFolderStore, openS3Store, type ArchiveStore } from '@cupel/archive'
import { ConfigError, requireVerifiedPeers, urlPeer, type Config } from '@cupel/kit/service'
import { type CliContext, CommandError, EXIT_USAGE } from '../../index.js'

/** A folder is relative to the caller's. */
export const archivePlace = (context: CliContext, text: string): string =>
  isS3Address(text) ? text : context.path(text)

/** Throws ConfigError if the settings of the store are incomplete, and a CommandError for an invalid address. */
export async function openStore(context: CliContext, place: string): Promise<ArchiveStore> {
  if (!isS3Address(place)) return openFolderStore(place)
  const connection = s3Connection(await context.config(), context.note)
  try {
    return openS3Store(place, connection)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CommandError(cause.message, EXIT_USAGE, { cause })
  }
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
