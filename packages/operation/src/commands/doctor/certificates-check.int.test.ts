import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { loadConfig } from '@cupel/kit/service'
import { makeCertificate } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { certificatesCheck, findingsOf } from './certificates-check.js'

const NOW = Date.parse('2026-11-30T00:00:00.000Z')
const DAY_MS = 24 * 3_600_000

test.each([
  [-0.5, 'fault', 'ended at 2026-11-29T12:00:00.000Z'],
  [2, 'fault', 'ends at 2026-12-02T00:00:00.000Z'],
  [20, 'warning', 'ends at 2026-12-20T00:00:00.000Z'],
] as const)('a certificate that ends in %d days is a %s', (days, state, said) => {
  const seen = [
    { of: 'the broker k1:9093', validToMs: NOW + days * DAY_MS },
    { of: 'the broker k2:9093', validToMs: NOW + 90 * DAY_MS },
  ]
  expect(findingsOf(seen, NOW)).toMatchObject([
    { state, detail: `The certificate of the broker k1:9093 ${said}.` },
  ])
})

test('certificates that are valid for weeks pass, and so does the lack of any', () => {
  expect(findingsOf([{ of: 'a', validToMs: NOW + 30 * DAY_MS }], NOW)).toMatchObject([
    { state: 'ok', detail: '1 are valid for at least 21 days.' },
  ])
  expect(findingsOf([], NOW)).toMatchObject([{ state: 'ok', detail: 'None is in use.' }])
})

test('a certificate that nobody could read is named, and is never among those that are valid', () => {
  const valid = { of: 'a', validToMs: NOW + 30 * DAY_MS }
  for (const validToMs of [null, Number.NaN])
    expect(findingsOf([valid, { of: 'b', validToMs }], NOW)).toMatchObject([
      { state: 'warning', detail: 'The certificate of b could not be read.' },
    ])
})

let folder: string
let servers: Server[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-certificates-'))
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))))
  rmSync(folder, { recursive: true, force: true })
})

const listening = async (server: Server): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('certificates of files, of brokers, of a base address and of Postgres are looked at; one day is left of each', async () => {
  const [certFile, keyFile] = [join(folder, 'a.crt'), join(folder, 'a.key')]
  const { cert, key } = makeCertificate({ subject: 'localhost', certFile, keyFile, days: 1 })
  const broker = await listening(
    createTlsServer({ cert, key }, (socket) => socket.on('error', () => undefined)),
  )
  const postgres = await listening(
    createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write('S')
        new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined)
      })
    }),
  )
  const config = loadConfig({
    ...{
      CUPEL_LOG: 'kafka',
      CUPEL_KAFKA_TLS: 'true',
      CUPEL_KAFKA_BROKERS: `localhost:${broker},localhost:1`,
    },
    ...{ CUPEL_TLS_CERT_FILE: certFile, CUPEL_TLS_KEY_FILE: keyFile },
    CUPEL_BASE_URL: `https://127.0.0.1:${broker}`,
    CUPEL_DATABASE_URL: `postgres://u:p@localhost:${postgres}/cupel?sslmode=verify-full`,
  })
  const found = await certificatesCheck({ config }).look()
  expect(found.map(({ state, detail }) => [state, detail.replace(/ ends at .*/, '')])).toEqual([
    ['fault', `The certificate of CUPEL_TLS_CERT_FILE (${certFile})`],
    ['fault', `The certificate of the broker localhost:${broker}`],
    ['warning', 'The certificate of the broker localhost:1 could not be read.'],
    ['fault', `The certificate of 127.0.0.1:${broker}`],
    ['fault', 'The certificate of the database localhost'],
  ])
})
