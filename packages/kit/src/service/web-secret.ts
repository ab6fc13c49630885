/** The secret with which the console authenticates to the API. */
import { readFile } from 'node:fs/promises'
import { ConfigError, type Config } from './config.js'

const MIN_SECRET_LENGTH = 32

/** Undefined if none is configured. Throws ConfigError if the file is unreadable or its secret is too short. */
export async function readWebSecret(
  config: Pick<Config, 'CUPEL_WEB_SECRET' | 'CUPEL_WEB_SECRET_FILE'>,
): Promise<string | undefined> {
  const { CUPEL_WEB_SECRET: secret, CUPEL_WEB_SECRET_FILE: file } = config
  if (file === undefined) return secret
  if (secret !== undefined)
    throw new ConfigError('CUPEL_WEB_SECRET and CUPEL_WEB_SECRET_FILE are not set together.')
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`CUPEL_WEB_SECRET_FILE cannot be read: ${(error as Error).message}`)
  })
  if (text.trim().length < MIN_SECRET_LENGTH)
    throw new ConfigError(`CUPEL_WEB_SECRET_FILE holds fewer than ${MIN_SECRET_LENGTH} characters.`)
  return text.trim()
}
