/** Receivers over TLS: the certificate must match the name, come from a known authority, and be valid. The address does not matter. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutboundClient, parseAllowedRanges } from '../../src/outbound/index.js'

let folder: string
let certificate: { cert: string; key: string }
const servers: Server[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-outbound-'))
  certificate = certify('DNS:receiver.example')
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  rmSync(folder, { recursive: true, force: true })
})

function certify(names: string): { cert: string; key: string } {
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  return makeCertificate({ ...files, subject: 'test', names })
}

/** The port of a receiver that answers with the requested name. */
async function listen(options: ServerOptions = {}): Promise<number> {
  const server = createServer({ ...certificate, ...options }, (request, response) => {
    request.resume()
    response.end(`${(request.socket as { servername?: string }).servername} ${request.headers.host}`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function post(url: string, ca?: string): Promise<unknown> {
  const client = createOutboundClient({
    allow: parseAllowedRanges(['127.0.0.1']),
    resolve: async () => ['127.0.0.1'],
    ...(ca === undefined ? {} : { ca }),
  })
  const result = await client.post({ url, headers: {}, body: '{}' })
  await client.close()
  return result
}

test('a receiver is asked for by its name, though it is dialled by its address', async () => {
  const port = await listen()
  const result = await post(`https://receiver.example:${port}/`, certificate.cert)
  expect(result).toMatchObject({ statusCode: 200, excerpt: `receiver.example receiver.example:${port}` })
})

test.each([
  ['of another name', 'https://somebody-else.example', (cert: string) => cert],
  ['of nobody known', 'https://receiver.example', () => undefined],
  ['for a name, where an address was asked for', 'https://127.0.0.1', (cert: string) => cert],
])('a certificate %s ends the attempt before anything is sent', async (_what, origin, authority) => {
  const port = await listen()
  expect(await post(`${origin}:${port}/`, authority(certificate.cert))).toMatchObject({
    kind: 'failed',
    error: 'tls_failed',
  })
})

test('TLS below 1.2 is refused', async () => {
  const old = await listen({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  expect(await post(`https://receiver.example:${old}/`, certificate.cert)).toMatchObject({
    error: 'tls_failed',
  })
})
