/** The certificate and key with which the API and the console serve HTTPS. */
import { readFile } from 'node:fs/promises'
import { tlsFaultOf, type TlsIdentity } from '../http-edge/index.js'
import { ConfigError, type Config } from './config.js'

export type TlsFiles = Pick<Config, 'CUPEL_TLS_CERT_FILE' | 'CUPEL_TLS_KEY_FILE'>

/** Null if neither file is configured. Throws an error for the operator if one is missing or unreadable, or if they do not match. */
export async function readTlsIdentity(config: TlsFiles): Promise<TlsIdentity | null> {
  const { CUPEL_TLS_CERT_FILE: certFile, CUPEL_TLS_KEY_FILE: keyFile } = config
  if (certFile === undefined && keyFile === undefined) return null
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError('CUPEL_TLS_CERT_FILE and CUPEL_TLS_KEY_FILE are set together or not at all.')
  const identity = {
    cert: await readPem('CUPEL_TLS_CERT_FILE', certFile),
    key: await readPem('CUPEL_TLS_KEY_FILE', keyFile),
  }
  const fault = tlsFaultOf(identity)
  if (fault !== null)
    throw new ConfigError(`CUPEL_TLS_CERT_FILE and CUPEL_TLS_KEY_FILE cannot be used: ${fault}`)
  return identity
}

async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting} cannot be read: ${(error as Error).message}`)
  }
}
