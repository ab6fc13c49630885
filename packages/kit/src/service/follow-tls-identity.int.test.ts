/** A process serves a renewed certificate to new connections, but not before every process has seen it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { renewIdentity, serverOptionsOf, connectionLimits } from '../http-edge/connections.js'
import { makeCertificate, until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { followTlsIdentity } from './follow-tls-identity.js'
import { readTlsIdentity } from './tls-identity.js'

const LOOK_EVERY_MS = 10

const folder = mkdtempSync(join(tmpdir(), 'cupel-certificates-'))
const file = (name: string): string => join(folder, name)
const config = { CUPEL_TLS_CERT_FILE: file('served.crt'), CUPEL_TLS_KEY_FILE: file('served.key') }

beforeAll(() => {
  for (const name of ['first', 'second'])
    makeCertificate({ subject: name, certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const put = (cert: string, key: string): void => {
  copyFileSync(file(`${cert}.crt`), config.CUPEL_TLS_CERT_FILE)
  copyFileSync(file(`${key}.key`), config.CUPEL_TLS_KEY_FILE)
}

let server: Server
let port: number
const log: { level: string; message: string }[] = []
const logger = Object.fromEntries(
  ['debug', 'info', 'warn', 'error'].map((level) => [
    level,
    (_fields: object, message: string) => void log.push({ level, message }),
  ]),
) as unknown as Parameters<typeof followTlsIdentity>[0]['logger']

beforeEach(async () => {
  log.length = 0
  put('first', 'first')
  const identity = (await readTlsIdentity(config))!
  server = createServer(serverOptionsOf(connectionLimits, identity).https!, (_request, response) =>
    response.end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

const shownName = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    }).on('error', reject)
  })

async function following(settleMs: number, work: (seen: string[]) => Promise<void>): Promise<void> {
  const seen: string[] = []
  const follower = followTlsIdentity({
    ...{ config, current: (await readTlsIdentity(config))!, logger, lookEveryMs: LOOK_EVERY_MS, settleMs },
    onSeen: ({ cert }) => seen.push(cert),
    onSettled: (identity) => renewIdentity(server, identity),
  })
  try {
    await work(seen)
  } finally {
    await follower.stop()
  }
}

describe('a certificate that is replaced while the service runs', () => {
  test('is served to the next connection once it has settled, and said in the log', async () => {
    await following(0, async () => {
      expect(await shownName()).toBe('first')
      put('second', 'second')
      await until(async () => expect(await shownName()).toBe('second'))
      // A check between the two copies warns of a key that does not fit.
      const said = (): object[] => log.filter(({ level }) => level === 'info')
      await until(() =>
        expect(said()).toEqual([{ level: 'info', message: 'A renewed certificate is served' }]),
      )
    })
  })

  test('is told to the others at once, and not served before it has settled', async () => {
    await following(3_600_000, async (seen) => {
      put('second', 'second')
      await until(() => expect(seen).toEqual([readFileSync(file('second.crt'), 'utf8')]))
      expect(await shownName()).toBe('first')
    })
  })

  test.each([
    ['without its key', () => put('second', 'first')],
    ['that is not PEM', () => writeFileSync(config.CUPEL_TLS_CERT_FILE, 'half')],
    ['that is gone', () => rmSync(config.CUPEL_TLS_CERT_FILE)],
  ])('%s is warned of once, and served when it is whole', async (_name, spoil) => {
    await following(0, async () => {
      spoil()
      // The second check finds the same fault.
      await until(() => expect(log.at(-1)?.level).toBe('debug'))
      expect(log.filter(({ level }) => level !== 'debug')).toEqual([
        { level: 'warn', message: 'The files of the certificate cannot be used; the former one is served' },
      ])
      expect(await shownName()).toBe('first')
      put('second', 'second')
      await until(async () => expect(await shownName()).toBe('second'))
    })
  })
})
