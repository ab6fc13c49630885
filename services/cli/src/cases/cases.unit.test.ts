/** `cupel cases` and the changes of `cupel watches` call the API as it is described. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContext } from '../context.js'
import { createProgram } from '../program.js'

const calls: { call: string; body: unknown }[] = []
let document: object = {}
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    calls.push({ call: `${request.method} ${request.url}`, body: body === '' ? null : JSON.parse(body) })
    if (request.method === 'DELETE') response.writeHead(204).end()
    else response.end(JSON.stringify(document))
  })
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

async function run(answered: object, ...args: string[]): Promise<string> {
  calls.length = 0
  document = answered
  const said: string[] = []
  const environment = {
    CUPEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ CUPEL_API_KEY: 'key', CUPEL_HOME: '/nowhere' },
  }
  const print = (text: string): void => void said.push(text)
  const program = await createProgram({ ...createContext(environment, args), print, note: print }, args)
  await program.parseAsync(args, { from: 'user' })
  return said.join('\n')
}

const ID = '622f9400217f0c00'
const entry = {
  ...{ version: 1, kind: 'note', at: '2026-11-21T09:00:00.000Z', text: 'Asked\u001b[31m', disposition: null },
  by: { key_id: '8f2k1m0a', person: null },
}
const found = { report_id: ID, disposition: null, history: [entry] }

test('cases are listed, shown, noted and decided', async () => {
  const summary = { report_id: ID, address: '0xA', level: 'grey', disposition: null, changed_at: null }
  const listed = await run(
    { items: [summary], next_page_token: 't' },
    'cases',
    'list',
    '--disposition',
    'open',
  )
  expect(calls).toEqual([{ call: 'GET /v1/cases?disposition=open', body: null }])
  expect(listed).toMatch(/Not cleared\s+undecided/)
  expect(listed).toContain('--page-token t')

  const shown = await run(found, 'cases', 'show', ID)
  expect(calls[0]!.call).toBe(`GET /v1/reports/${ID}/case`)
  expect(shown).toMatch(/key 8f2k1m0a\s+note\s+Asked/)
  expect(shown).not.toContain('\u001b')

  await run(found, 'cases', 'note', ID, 'Asked the customer.')
  expect(calls).toEqual([{ call: `POST /v1/reports/${ID}/notes`, body: { text: 'Asked the customer.' } }])
  await run(found, 'cases', 'decide', ID, 'cleared', '--reason', 'Own wallet.')
  expect(calls).toEqual([
    { call: `POST /v1/reports/${ID}/disposition`, body: { disposition: 'cleared', reason: 'Own wallet.' } },
  ])
})

test('watches are added and removed, and listed without a word more', async () => {
  const watch = {
    ...{ watch_id: 'wat_1', address: '0xA', chain: 'ETH', status: 'active' },
    ...{ list_reasons: [], last_report: null },
  }
  await run({ items: [watch] }, 'watches', 'add', '0xA', '0xB', '--reference', 'desk', '--digest')
  expect(calls[0]!.body).toEqual({
    watches: ['0xA', '0xB'].map((address) => ({ address, reference: 'desk', digest: true })),
  })
  expect(await run({}, 'watches', 'remove', 'wat_1')).toBe('Watch wat_1 has ended.')
  expect(calls[0]!.call).toBe('DELETE /v1/watches/wat_1')
  expect(await run({ items: [watch], next_page_token: null }, 'watches')).toContain('not decided yet')
  expect(calls[0]!.call).toBe('GET /v1/watches')
})
