/** Who works on a case and until when, its files, its dossier, and cases for a whole job. */
import { createHash } from 'node:crypto'
import { beginSession, revokeKey, rotateKey } from '@cupel/gate/access'
import { MAX_ACCOUNT_FILE_BYTES, MAX_FILE_BYTES, MAX_FILES } from '@cupel/cases'
import type { CaseAssignee, CaseSummary, ReportCase } from '@cupel/contracts'
import { eraseReference } from '@cupel/personal-data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let strictUrl: string
let accountId: string
let ann: Awaited<ReturnType<Installation['key']>>
let bob: Awaited<ReturnType<Installation['key']>>
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  const levels = ['green', 'orange', 'red', 'grey'] as const
  strictUrl = (
    await installation.api({ config: { CUPEL_INSTANCE: 2, CUPEL_CASE_SECOND_PERSON: [...levels] } })
  ).url
  ann = await installation.key({ name: 'Ann' })
  ;({ accountId } = ann)
  bob = await installation.key({ accountId, name: 'Bob' })
})
afterAll(() => installation.stop())

const at = (id: string, part: string): string => `/v1/reports/${id}/${part}`
const newCase = async (key = ann.key): Promise<string> => String((await screen(url, key)).json()['report_id'])
const caseOf = (reply: Reply): ReportCase => {
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.json() as unknown as ReportCase
}
const read = async (id: string, key = ann.key): Promise<ReportCase> =>
  caseOf(await call(url, 'GET', at(id, 'case'), { key }))
const assign = (id: string, body: object, { key = ann.key, to = url } = {}): Promise<Reply> =>
  call(to, 'POST', at(id, 'case/assignment'), { key, body })
const attach = (id: string, name: string, bytes: Buffer | string, key = ann.key): Promise<Reply> =>
  call(url, 'POST', at(id, 'case/files'), {
    ...{ key, body: { name, content: Buffer.from(bytes).toString('base64') } },
  })
const listed = async (query: string, key = ann.key): Promise<readonly CaseSummary[]> => {
  const reply = await call(url, 'GET', `/v1/cases?${query}`, { key })
  expect(reply.status, reply.text).toBe(200)
  return reply.json()['items'] as CaseSummary[]
}

describe('the assignee of a case', () => {
  test('is a key of the account with the name that it had, and the case names who left', async () => {
    const id = await newCase()
    const eve = await installation.key({ accountId, name: 'Eve' })
    const assigned = caseOf(
      await assign(id, {
        assignee: { key_id: eve.keyId },
        due_on: '2026-12-31',
        reason: 'Holidays',
        version: 0,
      }),
    )
    expect(assigned).toMatchObject({
      ...{ disposition: 'open', version: 1, due_on: '2026-12-31', is_overdue: false },
      assignee: { key_id: eve.keyId, person: null, key_name: 'Eve', has_left: false },
      history: [{ kind: 'assigned', text: 'Holidays', by: { key_id: ann.keyId, key_name: 'Ann' } }],
    })
    await revokeKey(installation.database, { keyId: eve.keyId, by: 'test', reason: 'left' })
    expect((await read(id)).assignee).toMatchObject({ key_name: 'Eve', has_left: true })
    const rows = await installation.database.query<{ row: string }>(
      'SELECT e::text AS row FROM cases.entry AS e WHERE report_id = $1',
      [id],
    )
    expect(rows[0]!.row).not.toMatch(/Eve|Ann|Holidays/)
  })

  test('stays the same person when the key is rotated', async () => {
    const id = await newCase()
    const own = await installation.key({ accountId, name: 'Rotated' })
    await assign(id, { assignee: { key_id: own.keyId }, due_on: null, version: 0 })
    const { key } = await rotateKey(installation.database, { keyId: own.keyId, by: 'test', overlapMs: 0 })
    expect((await read(id)).assignee).toMatchObject({ has_left: false })
    expect((await listed('assignee=me', key)).map(({ report_id }) => report_id)).toEqual([id])
  })

  test('is nobody of another account, no read-only key, and no unknown person', async () => {
    const id = await newCase()
    const stranger = await installation.key()
    const readOnly = await installation.key({ accountId, scope: 'read-only' })
    for (const assignee of [
      { key_id: stranger.keyId },
      { key_id: readOnly.keyId },
      { key_id: 'unknown' },
      { key_id: bob.keyId, person: 'Mallory' },
    ]) {
      const reply = await assign(id, { assignee, due_on: null, version: 0 })
      expect(reply.json(), JSON.stringify(assignee)).toMatchObject({
        ...{ status: 400, errors: [{ pointer: '/assignee' }] },
      })
    }
    for (const due_on of ['2026-02-30', '31.12.2026', '2026-12-31T00:00:00Z'])
      expect((await assign(id, { assignee: null, due_on, version: 0 })).status).toBe(400)
    expect((await read(id)).version).toBe(0)
  })

  test('can be a person who is signed in, and is theirs with every key', async () => {
    const session = async (keyId: string): Promise<string> =>
      (await beginSession(installation.database, { keyId, actor: 'Dana', subject: 'dana-1' })).token
    await session(ann.keyId)
    const id = await newCase()
    const people = (await call(url, 'GET', '/v1/cases/assignees', { key: ann.key })).json()['items']
    expect(people).toContainEqual({ key_id: ann.keyId, person: 'Dana' })
    expect(people).toContainEqual({ key_id: bob.keyId, person: null, key_name: 'Bob' })
    const dana = { key_id: ann.keyId, person: 'Dana' }
    const assigned = caseOf(await assign(id, { assignee: dana, due_on: null, version: 0 }))
    expect(assigned.assignee).toMatchObject({ ...dana, has_left: false })
    expect((await listed('assignee=me', await session(bob.keyId))).map((one) => one.report_id)).toEqual([id])
    const foreign = (await installation.key()).key
    const theirs = (await call(url, 'GET', '/v1/cases/assignees', { key: foreign })).json()
    expect((theirs['items'] as CaseAssignee[]).map(({ person }) => person)).toEqual([null])
  })

  test('does not become a second person: a proposer proposes and stays the proposer, whoever is assigned', async () => {
    const id = await newCase()
    const clear = (key: string, version: number): Promise<Reply> =>
      call(strictUrl, 'POST', at(id, 'disposition'), {
        ...{ key, body: { disposition: 'cleared', reason: 'Own wallet', version } },
      })
    expect(caseOf(await clear(ann.key, 0)).proposal).toMatchObject({ version: 1 })
    for (const [version, { keyId }] of [bob, ann].entries())
      caseOf(
        await assign(
          id,
          { assignee: { key_id: keyId }, due_on: null, version: version + 1 },
          { to: strictUrl },
        ),
      )
    expect((await clear(ann.key, 3)).json()).toMatchObject({ status: 409, code: 'case_conflict' })
    const cleared = caseOf(await clear(bob.key, 3))
    expect(cleared.history.at(-1)).toMatchObject({ kind: 'disposition_changed', proposal_version: 1 })
  })
})

test('cases are listed by assignee, by level, and if they are overdue, in pages that belong to their filter', async () => {
  const own = await installation.key({ name: 'Lists' })
  const ids = await Promise.all(Array.from({ length: 4 }, () => newCase(own.key)))
  const [late, later, nobodys, settled] = ids as [string, string, string, string]
  const me = { key_id: own.keyId }
  const plan = (id: string, assignee: object | null, due_on: string | null): Promise<Reply> =>
    assign(id, { assignee, due_on, version: 0 }, { key: own.key })
  caseOf(await plan(late, me, '2020-01-01'))
  caseOf(await plan(later, me, '2999-12-31'))
  caseOf(await plan(nobodys, null, '2020-01-02'))
  caseOf(await plan(settled, me, '2020-01-03'))
  const body = { disposition: 'cleared', reason: 'Done', version: 1 }
  caseOf(await call(url, 'POST', at(settled, 'disposition'), { key: own.key, body }))
  const idsOf = async (query: string): Promise<string[]> =>
    (await listed(query, own.key)).map(({ report_id }) => report_id)
  expect(await idsOf('assignee=me')).toEqual([settled, later, late])
  expect(await idsOf(`assignee=${own.keyId}&disposition=unsettled`)).toEqual([later, late])
  expect(await idsOf('assignee=nobody')).toEqual([nobodys])
  expect(await idsOf('overdue=true')).toEqual([nobodys, late])
  expect((await listed('', own.key)).map(({ is_overdue }) => is_overdue)).toEqual([false, true, false, true])
  expect(await idsOf('overdue=true&level=orange')).toEqual([])
  const first = (await call(url, 'GET', '/v1/cases?assignee=me&page_size=2', { key: own.key })).json()
  const token = String(first['next_page_token'])
  expect(await idsOf(`assignee=me&page_size=2&page_token=${token}`)).toEqual([late])
  const other = await call(url, 'GET', `/v1/cases?assignee=nobody&page_token=${token}`, { key: own.key })
  expect(other.status).toBe(400)
  expect(await listed('assignee=me')).not.toContainEqual(expect.objectContaining({ report_id: late }))
})

describe('a file of a case', () => {
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

  test('is stored sealed, comes back as it was and only to be saved, and its hash is in the case', async () => {
    const id = await newCase()
    const name = 'Vertrag \u202efdp.exe <b>.pdf'
    const attached = caseOf(await attach(id, name, PNG))
    const sha256 = createHash('sha256').update(PNG).digest('hex')
    expect(attached.history).toMatchObject([
      { kind: 'file_attached', file: { name, media_type: 'image/png', bytes: PNG.length, sha256 } },
    ])
    const got = await call(url, 'GET', at(id, 'case/files/1'), { key: ann.key })
    expect([got.status, got.headers['content-type']]).toEqual([200, 'application/octet-stream'])
    expect(got.headers['content-disposition']).toBe(`attachment; filename="cupel-case-${id}-1.png"`)
    expect(got.headers['x-content-type-options']).toBe('nosniff')
    expect(got.headers['content-length']).toBe(String(PNG.length))
    const [stored] = await installation.database.query<{ content: Buffer }>(
      'SELECT content FROM cases.file WHERE report_id = $1',
      [id],
    )
    expect(stored!.content.toString()).toMatch(/^sealed1\./)
    expect(attached.history[0]!.file!.content_sha256).toBe(
      createHash('sha256').update(stored!.content).digest('hex'),
    )
    const [entry] = await installation.database.query<{ row: string }>(
      'SELECT e::text AS row FROM cases.entry AS e WHERE report_id = $1',
      [id],
    )
    expect(entry!.row).not.toMatch(new RegExp(`Vertrag|${sha256}`))
  })

  test.each([
    ['a page of HTML named as a PDF is a text', '<script>alert(1)</script>', 'text/plain'],
    ['an image named as a text is an image', PNG, 'image/png'],
    ['a PDF', '%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n', 'application/pdf'],
  ])('is what its bytes say: %s', async (_what, bytes, mediaType) => {
    const attached = caseOf(await attach(await newCase(), 'name.pdf', bytes))
    expect(attached.history[0]!.file!.media_type).toBe(mediaType)
  })

  test.each([
    ['a program', Buffer.from('\x7fELF\u0002\u0001', 'latin1')],
    ['an archive', Buffer.from('PK\u0003\u0004abc\u0000', 'latin1')],
    ['an image with a page behind it', Buffer.concat([PNG, Buffer.from('<html>')])],
    ['an image without its end', PNG.subarray(0, -12)],
    [
      'an image with a page in its end',
      Buffer.concat([PNG.subarray(0, -12), Buffer.from('\0\0\0\u0006IEND<html>crc.', 'latin1')]),
    ],
    [
      'a PDF with an archive behind it',
      Buffer.from('%PDF-1.7\n%%EOF\nPK\u0005\u0006' + '\u0000'.repeat(18), 'latin1'),
    ],
    [
      'a PDF with an archive in it',
      Buffer.from('%PDF-1.7\nPK\u0005\u0006' + '\u0000'.repeat(18) + '%%EOF\n', 'latin1'),
    ],
    ['an image with another end', Buffer.from('\xff\xd8\xff\xe0 <?php', 'latin1')],
    ['a text with an escape of a terminal', Buffer.from('\u001b[31m')],
    ['nothing that is UTF-8', Buffer.from([0x41, 0xff, 0xfe])],
  ])('is refused if it is %s', async (_what, bytes) => {
    const id = await newCase()
    const reply = await attach(id, 'name.pdf', bytes)
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ pointer: '/content' }] })
    expect((await read(id)).version).toBe(0)
  })

  test('has a size, a number and a sum per account that it does not exceed', async () => {
    const own = await installation.key()
    const id = await newCase(own.key)
    const large = Buffer.alloc(MAX_FILE_BYTES, 'a')
    expect((await attach(id, 'a.txt', Buffer.concat([large, Buffer.from('a')]), own.key)).status).toBe(400)
    caseOf(await attach(id, 'a.txt', large, own.key))
    const got = await call(url, 'GET', at(id, 'case/files/1'), { key: own.key })
    expect(got.text.length).toBe(MAX_FILE_BYTES)
    for (let count = 1; count < MAX_FILES; count += 1) caseOf(await attach(id, 'a.txt', `${count}`, own.key))
    expect((await attach(id, 'a.txt', 'one more', own.key)).json()['code']).toBe('case_conflict')
    // The account has all the bytes that it may have but 9.
    for (const statement of [
      'ALTER TABLE cases.entry DISABLE TRIGGER entry_stays',
      `UPDATE cases.entry SET file_bytes = ${MAX_ACCOUNT_FILE_BYTES} - 9
         - (SELECT sum(file_bytes) FROM cases.entry WHERE report_id = '${id}' AND version > 1)
         WHERE report_id = '${id}' AND version = 1`,
      'ALTER TABLE cases.entry ENABLE TRIGGER entry_stays',
    ])
      await installation.database.execute(statement)
    const others = await Promise.all(Array.from({ length: 4 }, () => newCase(own.key)))
    const replies = await Promise.all(others.map((other) => attach(other, 'a.txt', 'aaaa', own.key)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  })

  test('has a name without a path, and a version that is one', async () => {
    const id = await newCase()
    for (const name of ['../../etc/passwd', 'a\\b', 'a\r\nX: y', '', 'x'.repeat(201)])
      expect((await attach(id, name, 'text')).json()).toMatchObject({
        status: 400,
        errors: [{ pointer: '/name' }],
      })
    caseOf(await attach(id, 'a.txt', 'text'))
    for (const version of ['0', '2', '01', '1.0', '-1', 'x', '9999'])
      expect((await call(url, 'GET', at(id, `case/files/${version}`), { key: ann.key })).status).toBe(404)
  })

  test('is its account’s own, in its environment', async () => {
    const id = await newCase()
    caseOf(await attach(id, 'a.txt', 'Ours'))
    for (const { key } of [
      await installation.key(),
      await installation.key({ accountId, environment: 'test' }),
    ])
      for (const reply of [
        await call(url, 'GET', at(id, 'case/files/1'), { key }),
        await attach(id, 'a.txt', 'Theirs', key),
        await assign(id, { assignee: null, due_on: '2026-12-31', version: 1 }, { key }),
        await call(url, 'GET', at(id, 'case/dossier'), { key }),
      ])
        expect(reply.json()['code']).toBe('not_found')
    expect((await read(id)).version).toBe(1)
  })

  test('is not given if its bytes were changed, and is gone with its customer', async () => {
    const body = { address: ADDRESS, customer_reference: 'customer 9' }
    const id = String((await screen(url, ann.key, body)).json()['report_id'])
    caseOf(await attach(id, 'name of customer 9.txt', 'Secret of customer 9'))
    caseOf(await attach(id, 'b.txt', 'Another'))
    const status = async (version: number): Promise<number> =>
      (await call(url, 'GET', at(id, `case/files/${version}`), { key: ann.key })).status
    expect([await status(1), await status(2)]).toEqual([200, 200])
    for (const statement of [
      'ALTER TABLE cases.file DISABLE TRIGGER file_stays',
      `UPDATE cases.file SET content = (SELECT content FROM cases.file WHERE report_id = '${id}' AND version = 1)
         WHERE report_id = '${id}' AND version = 2`,
      'ALTER TABLE cases.file ENABLE TRIGGER file_stays',
    ])
      await installation.database.execute(statement)
    expect(await status(2)).toBe(404)
    const [row] = await installation.database.query<{ keyId: string }>(
      `SELECT split_part(convert_from(content, 'UTF8'), '.', 2) AS "keyId" FROM cases.file WHERE report_id = $1`,
      [id],
    )
    await eraseReference(installation.database, {
      ...{ accountId, keyId: row!.keyId, by: 'test', reason: 'test', plainRecords: 0 },
    })
    await expect.poll(() => status(1), { timeout: 30_000, interval: 500 }).toBe(404)
    expect((await read(id)).history[0]!.file).toMatchObject({ name: 'erased', sha256: 'erased', bytes: 20 })
  })

  test('cannot be changed or deleted in the database', async () => {
    for (const statement of [
      `UPDATE cases.file SET content = ''`,
      'DELETE FROM cases.file',
      'TRUNCATE cases.file',
    ])
      await expect(installation.database.execute(statement)).rejects.toThrow('never changed or deleted')
  })
})

test('the dossier has subject, reports, names, notes and files, and is the same bytes twice', async () => {
  const body = { address: ADDRESS, customer_reference: 'customer 12' }
  await screen(url, ann.key, body)
  const id = String((await screen(url, ann.key, body)).json()['report_id'])
  await call(url, 'POST', at(id, 'notes'), { key: bob.key, body: { text: 'Asked the customer.' } })
  caseOf(await attach(id, 'Contract.txt', 'The contract'))
  const dossier = (headers = {}): Promise<Reply> =>
    call(url, 'GET', at(id, 'case/dossier'), { key: ann.key, headers })
  const first = await dossier()
  expect([first.status, first.headers['content-type']]).toEqual([200, 'application/pdf'])
  expect(first.headers['content-disposition']).toBe(`attachment; filename="cupel-case-${id}.pdf"`)
  expect((await dossier()).text).toBe(first.text)
  const etag = String(first.headers['etag'])
  expect((await dossier({ 'if-none-match': etag })).status).toBe(304)
  const attached = /\/EmbeddedFile[^]*?stream\n([^]*?)\nendstream/.exec(first.text)![1]!
  const {
    case: shown,
    reports,
    is_whole,
  } = JSON.parse(attached) as {
    case: ReportCase
    reports: { report: { report_id: string; customer_reference: string }; case: unknown }[]
    is_whole: boolean
  }
  expect(reports.length).toBeGreaterThan(1)
  expect(reports[0]!.report).toMatchObject({ report_id: id, customer_reference: 'customer 12' })
  expect(shown.history).toMatchObject([
    { by: { key_name: 'Bob' }, text: 'Asked the customer.' },
    { by: { key_name: 'Ann' }, file: { name: 'Contract.txt' } },
  ])
  expect(typeof is_whole).toBe('boolean')
  caseOf(await attach(id, 'More.txt', 'More'))
  expect((await dossier()).headers['etag']).not.toBe(etag)
})

test('cases are opened for the red results of a job once, and what is left out is counted', async () => {
  const own = await installation.key({ name: 'Jobs' })
  const jobs = createTestJobs(installation, url)
  const other = '0x1111111111111111111111111111111111111111'
  const job = await jobs.submit(own.key, [
    ADDRESS,
    'nonsense',
    other,
    '0x2222222222222222222222222222222222222222',
  ])
  const open = async (key = own.key): Promise<Reply> =>
    call(url, 'POST', `/v1/bulk/${job.jobId}/cases`, { key, body: { level: 'red', text: 'Red in a job' } })
  await jobs.decide(job, 0, 'red')
  await jobs.decide(job, 2, 'green')
  await jobs.decide(job, 3, 'red')
  await jobs.end(job, 3, 1)
  expect((await open((await installation.key()).key)).json()['code']).toBe('not_found')
  await expect
    .poll(async () => (await open()).json(), { timeout: 30_000 })
    .toEqual({ opened: 0, existing: 2, left_out: 0, not_done: 0, without_report: 1 })
  const cases = await listed('', own.key)
  expect(cases.map(({ level, version }) => [level, version])).toEqual([
    ['red', 1],
    ['red', 1],
  ])
  expect((await open()).json()['opened']).toBe(0)
})
