import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientCredentials } from './client-credentials.js'

let server: Server
let tokenUrl: string
let asked: { authorization: string | undefined; body: string }[]
let answer: () => { status: number; body: object }

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, body })
      const { status, body: text } = answer()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
})
beforeEach(() => {
  asked = []
  answer = () => ({
    status: 200,
    body: { access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 100 },
  })
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('one request serves all callers until most of its life is over, and the secret of that moment is sent', async () => {
  let now = 0
  let secret = 'first'
  const token = clientCredentials(
    { tokenUrl, clientId: 'cupel', clientSecret: () => secret, scope: 'kafka' },
    () => now,
  )
  expect(await Promise.all([token(), token()])).toEqual(['token-1', 'token-1'])
  now = 79_000
  expect(await token()).toBe('token-1')
  now = 81_000
  secret = 'second'
  expect(await token()).toBe('token-2')
  expect(asked.map(({ authorization }) => Buffer.from(authorization!.slice(6), 'base64').toString())).toEqual(
    ['cupel:first', 'cupel:second'],
  )
  expect(Object.fromEntries(new URLSearchParams(asked[0]!.body))).toMatchObject({
    grant_type: 'client_credentials',
    scope: 'kafka',
  })
})

test('a refusal rejects without the secret, and the next call asks again', async () => {
  const token = clientCredentials({ tokenUrl, clientId: 'cupel', clientSecret: () => 'SECRET' })
  const good = answer
  answer = () => ({ status: 401, body: { error: 'invalid_client' } })
  const error: unknown = await token().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(JSON.stringify(error) + String(error)).not.toContain('SECRET')
  answer = good
  expect(await token()).toBe('token-2')
})

test('an address elsewhere is never called without TLS', async () => {
  const token = clientCredentials({
    tokenUrl: 'http://tokens.example/token',
    clientId: 'cupel',
    clientSecret: () => 'SECRET',
  })
  await expect(token()).rejects.toThrow()
})
