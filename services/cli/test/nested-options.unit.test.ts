/** A command gets the options that the command around it has too: `cupel watches add … --json` answers with JSON. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel } from './command-line.js'

const server = createServer((request, response) =>
  request.resume().on('end', () => {
    if (request.method === 'DELETE') response.writeHead(204).end()
    else response.end(JSON.stringify({ items: [], next_page_token: null }))
  }),
)
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

async function said(...args: readonly string[]): Promise<string> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const environment = { CUPEL_BASE_URL: baseUrl, CUPEL_API_KEY: 'key', CUPEL_HOME: '/nowhere' }
  const { out, error } = await callCupel(environment, args)
  expect(error).toBeNull()
  return out
}

test.each([
  ['watches', 'add', '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'],
  ['watches', 'remove', 'wat_0a1b2c3d4e5f60718293'],
  ['labels', 'own', 'remove', 'lbl_1'],
])('cupel %s %s answers with JSON if it is asked to, and else in words', async (...args) => {
  expect(JSON.parse(await said(...args, '--json'))).toBeTypeOf('object')
  expect(await said(...args)).not.toMatch(/^\s*\{/)
})
