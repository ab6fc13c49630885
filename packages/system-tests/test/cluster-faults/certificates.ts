/** A certificate authority of the test. It issues server certificates that are valid, or expired when they are issued. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Certificate } from './relay.js'

export interface Authority {
  /** The CA file for clients. */
  readonly caFile: string
  issue(state: 'in force' | 'expired'): Promise<Certificate>
}

const run = promisify(execFile)
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const DAYS_IN_FORCE = '3'

/** Throws if openssl is missing. */
export async function createAuthority(folder: string): Promise<Authority> {
  const at = (name: string): string => join(folder, name)
  const [caFile, caKey] = [at('ca.pem'), at('ca.key')]
  await run('openssl', [
    ...['req', '-x509', ...KEY, '-days', DAYS_IN_FORCE, '-subj', '/CN=Test authority'],
    ...['-keyout', caKey, '-out', caFile],
  ])
  await writeFile(at('names'), 'subjectAltName=DNS:localhost')
  let issued = 0
  return {
    caFile,
    async issue(state) {
      issued += 1
      const [request, key, cert] = ['csr', 'key', 'pem'].map((suffix) => at(`broker-${issued}.${suffix}`))
      await run('openssl', [
        'req',
        '-new',
        ...KEY,
        '-subj',
        '/CN=localhost',
        '-keyout',
        key!,
        '-out',
        request!,
      ])
      await run('openssl', [
        ...['x509', '-req', '-in', request!, '-CA', caFile, '-CAkey', caKey, '-set_serial', String(issued)],
        ...['-days', state === 'expired' ? '0' : DAYS_IN_FORCE, '-extfile', at('names'), '-out', cert!],
      ])
      return { cert: await readFile(cert!, 'utf8'), key: await readFile(key!, 'utf8') }
    },
  }
}
