/** The store of the settings. */
import { readFileSync } from 'node:fs'
import { ConfigError, requireVerifiedPeers, urlPeer, type Config } from '@cupel/kit/service'
import type { S3Connection } from './s3-call.js'

export type S3Config = Pick<Config, Extract<keyof Config, `CUPEL_S3_${string}`>>

/** Throws ConfigError if the settings of the store are incomplete. `what` needs them: the subject of a sentence. */
export function s3Connection(what: string, config: S3Config, warn: (sentence: string) => void): S3Connection {
  const { CUPEL_S3_REGION: region, CUPEL_S3_CA_FILE: caFile, CUPEL_S3_SESSION_TOKEN: sessionToken } = config
  const { CUPEL_S3_ACCESS_KEY_ID: accessKeyId, CUPEL_S3_SECRET_ACCESS_KEY: secretAccessKey } = config
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError(`${what} needs CUPEL_S3_ACCESS_KEY_ID, and CUPEL_S3_SECRET_ACCESS_KEY or its file.`)
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
