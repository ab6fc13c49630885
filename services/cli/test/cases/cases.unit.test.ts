/** `cupel cases` calls the API as it is described. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAnsweringApi, type AnsweringApi } from '../answering-api.js'

let api: AnsweringApi
beforeAll(async () => void (api = await openAnsweringApi()))
afterAll(() => api.close())
const run = (answered: object, ...args: string[]): Promise<string> => api.run(answered, ...args)

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
  expect(api.calls).toEqual([{ call: 'GET /v1/cases?disposition=open', body: null }])
  expect(listed).toMatch(/Not cleared\s+undecided/)
  expect(listed).toContain('--page-token t')

  const shown = await run(found, 'cases', 'show', ID)
  expect(api.calls[0]!.call).toBe(`GET /v1/reports/${ID}/case`)
  expect(shown).toMatch(/key 8f2k1m0a\s+note\s+Asked/)
  expect(shown).not.toContain('\u001b')

  await run(found, 'cases', 'note', ID, 'Asked the customer.')
  expect(api.calls).toEqual([{ call: `POST /v1/reports/${ID}/notes`, body: { text: 'Asked the customer.' } }])
  await run({ ...found, version: 3 }, 'cases', 'decide', ID, 'cleared', '--reason', 'Own wallet.')
  expect(api.calls).toEqual([
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
    return api.calls[1]
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
  expect(api.calls).toEqual([
    { call: `POST /v1/reports/${ID}/case/files`, body: { name: 'note.txt', content } },
  ])
  expect(said).toMatch(/Ann\s+file_attached\s+note\.txt \(text, 14 bytes, SHA-256 ab\)/)
})
