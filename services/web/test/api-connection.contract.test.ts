/** The console identifies the API of its installation by its certificate, whatever name the certificate holds. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiConnection, type ApiConnection } from '@cupel/console'

const folder = mkdtempSync(join(tmpdir(), 'cupel-api-connection-'))
const servers: Server[] = []
const pems = new Map<string, { cert: string; key: string }>()
const ports = new Map<string, number>()

beforeAll(async () => {
  for (const name of ['own', 'renewed', 'foreign']) {
    const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) }
    const pem = makeCertificate({ ...files, subject: 'cupel.example' })
    pems.set(name, pem)
    const server = createServer(pem, (_request, response) => response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, resolve))
    servers.push(server)
    ports.set(name, (server.address() as AddressInfo).port)
  }
})
afterAll(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

/** The name of the second host is not a loopback address, like that of an API in another pod. */
const HOSTS = ['127.0.0.1', '0.0.0.0']

async function calling(
  host: string,
  shown: string,
  prepare: (connection: ApiConnection) => void = () => undefined,
): Promise<number | string> {
  const url = `https://${host}:${ports.get(shown)!}`
  const connection = createApiConnection({
    url: () => url,
    secret: undefined,
    certificate: pems.get('own')!.cert,
  })
  prepare(connection)
  try {
    const reply = await connection.call({
      method: 'GET',
      path: '/',
      credentials: null,
      clientAddress: '192.0.2.1',
    })
    reply.body.resume()
    return reply.status
  } catch (error) {
    return (error as Error).name
  } finally {
    await connection.close()
  }
}

describe.each(HOSTS)('an API at %s', (host) => {
  test('that shows the certificate of this installation is called', async () => {
    expect(await calling(host, 'own')).toBe(200)
  })

  test('that shows another one for the same name is not called', async () => {
    expect(await calling(host, 'foreign')).toBe('ApiDown')
  })

  test('is called with the former and the renewed certificate while both are in use', async () => {
    const renew = (connection: ApiConnection): void => connection.accept(pems.get('renewed')!.cert)
    expect(await calling(host, 'renewed')).toBe('ApiDown')
    expect([await calling(host, 'renewed', renew), await calling(host, 'own', renew)]).toEqual([200, 200])
  })
})
