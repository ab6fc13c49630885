/** `cupel cases` and the changes of `cupel watches` call the API as it is described. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
import { createProgram } from '../../src/program.js'

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
  await run({ ...found, version: 3 }, 'cases', 'decide', ID, 'cleared', '--reason', 'Own wallet.')
  expect(calls).toEqual([
    { call: `GET /v1/reports/${ID}/case`, body: null },
    {
      call: `POST /v1/reports/${ID}/disposition`,
      body: { disposition: 'cleared', reason: 'Own wallet.', version: 3 },
    },
  ])
})

test('cases are assigned, and what no option names stays', async () => {
  const present = { ...found, version: 2, due_on: '2026-12-01', assignee: { key_id: 'k1', person: 'Ann' } }
  const sent = async (...options: string[]): Promise<unknown> => {
    await run(present, 'cases', 'assign', ID, ...options)
    return calls[1]
  }
  const call = `POST /v1/reports/${ID}/case/assignment`
  const kept = { key_id: 'k1', person: 'Ann' }
  expect(await sent('--due', '2026-12-31')).toEqual({
    ...{ call, body: { assignee: kept, due_on: '2026-12-31', version: 2 } },
  })
  expect(await sent('--nobody', '--due', 'none')).toEqual({
    ...{ call, body: { assignee: null, due_on: null, version: 2 } },
  })
  expect(await sent('--to', 'k2', '--reason', 'Holidays')).toEqual({
    call,
    body: { assignee: { key_id: 'k2' }, due_on: '2026-12-01', reason: 'Holidays', version: 2 },
  })
  const listed = await run({ items: [kept] }, 'cases', 'assignees')
  expect(listed).toMatch(/k1\s+Ann/)
})

test('a file is attached with its bytes and without its path', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'cupel-')), 'note.txt')
  writeFileSync(file, 'The agreement.')
  const attached = {
    ...{ version: 1, kind: 'file_attached', at: '2026-11-21T09:00:00.000Z', text: '', disposition: null },
    by: { key_id: 'k1', person: null, key_name: 'Ann' },
    file: { name: 'note.txt', media_type: 'text/plain', bytes: 14, sha256: 'ab', content_sha256: 'cd' },
  }
  const said = await run({ ...found, history: [attached] }, 'cases', 'attach', ID, file)
  const content = Buffer.from('The agreement.').toString('base64')
  expect(calls).toEqual([{ call: `POST /v1/reports/${ID}/case/files`, body: { name: 'note.txt', content } }])
  expect(said).toMatch(/Ann\s+file_attached\s+note\.txt \(text, 14 bytes, SHA-256 ab\)/)
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
