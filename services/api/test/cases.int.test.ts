/** Notes and dispositions of reports: their author, time and reason, and a second person where the installation requires one. */
import { beginSession, rotateKey } from '@cupel/gate/access'
import type { ReportCase } from '@cupel/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
/** An instance that requires a second person for every level. */
let strictUrl: string
let accountId: string
let ann: string
let bob: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  const levels = ['green', 'orange', 'red', 'grey'] as const
  strictUrl = (
    await installation.api({ config: { CUPEL_INSTANCE: 2, CUPEL_CASE_SECOND_PERSON: [...levels] } })
  ).url
  const key = await installation.key()
  ;({ accountId, key: ann } = key)
  bob = (await installation.key({ accountId })).key
})
afterAll(() => installation.stop())

const newReport = async (key = ann): Promise<Reply> => await screen(url, key)
const idOf = (report: Reply): string => String(report.json()['report_id'])
const at = (id: string, part: string): string => `/v1/reports/${id}/${part}`
const caseOf = (reply: Reply): ReportCase => {
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.json() as unknown as ReportCase
}
const read = async (id: string, key = ann): Promise<ReportCase> =>
  caseOf(await call(url, 'GET', at(id, 'case'), { key }))

interface Order {
  readonly key?: string
  readonly to?: string
  readonly headers?: Record<string, string>
}
const note = (id: string, body: object, { key = ann, to = url, headers = {} }: Order = {}): Promise<Reply> =>
  call(to, 'POST', at(id, 'notes'), { key, body, headers })
const dispose = (
  id: string,
  disposition: string,
  version: number,
  { key = ann, to = url, headers = {} }: Order = {},
): Promise<Reply> =>
  call(to, 'POST', at(id, 'disposition'), {
    key,
    headers,
    body: { disposition, reason: `Because it is ${disposition}`, version },
  })

async function eventsOf(reportId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await installation.database.query<{
    event: { type: string; data: Record<string, unknown> }
  }>('SELECT event FROM projection.outbox ORDER BY seq')
  const events = await installation.opened(rows.map(({ event }) => event))
  return events.filter(({ data }) => data['reportId'] === reportId)
}

describe('a case', () => {
  test('is empty until somebody works on the report, and keeps every entry with who, when and why', async () => {
    const report = await newReport()
    const id = idOf(report)
    expect(await read(id)).toMatchObject({ disposition: null, version: 0, history: [], opened_at: null })
    const noted = caseOf(await note(id, { text: 'Asked the customer.\nNo answer yet.' }))
    expect(noted).toMatchObject({ disposition: 'open', version: 1 })
    const escalated = caseOf(await dispose(id, 'escalated', 1, { key: bob }))
    expect(escalated).toMatchObject({ disposition: 'escalated', version: 2, proposal: null })
    const cleared = caseOf(await dispose(id, 'cleared', 2))
    expect(cleared.history.map(({ kind, text, disposition }) => [kind, text, disposition])).toEqual([
      ['note', 'Asked the customer.\nNo answer yet.', null],
      ['disposition_changed', 'Because it is escalated', 'escalated'],
      ['disposition_changed', 'Because it is cleared', 'cleared'],
    ])
    expect(cleared.history.map(({ previous_disposition }) => previous_disposition)).toEqual([
      null,
      'open',
      'escalated',
    ])
    expect(new Set(cleared.history.map(({ by }) => by.key_id)).size).toBe(2)
    expect(await read(id)).toEqual(cleared)
    const events = await eventsOf(id)
    expect(events.map(({ type, data }) => [type, data['version']])).toEqual([
      ['ReportNoteAdded', 1],
      ['DispositionChanged', 2],
      ['DispositionChanged', 3],
    ])
    expect(events[1]!.data).toMatchObject({ previousDisposition: 'open', disposition: 'escalated' })
    expect((await call(url, 'GET', `/v1/reports/${id}`, { key: ann })).text).toBe(report.text)
  })

  test('changes only for one who has read it: of many who decide at once, one does', async () => {
    const id = idOf(await newReport())
    const replies = await Promise.all(Array.from({ length: 8 }, () => dispose(id, 'escalated', 0)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)])
    expect(replies.find(({ status }) => status === 412)!.json()['code']).toBe('version_mismatch')
    const present = await call(url, 'GET', at(id, 'case'), { key: ann })
    expect(present.headers['etag']).toBe('"1"')
    const ifMatch = (etag: string) => note(id, { text: 'Seen' }, { headers: { 'if-match': etag } })
    expect((await ifMatch('"0"')).status).toBe(412)
    expect((await ifMatch('W/"1"')).status).toBe(412)
    expect((await note(id, { text: 'Seen', version: 2 }, { headers: { 'if-match': '"1"' } })).status).toBe(
      412,
    )
    const noted = await ifMatch('"1"')
    expect([noted.status, noted.headers['etag']]).toEqual([201, '"2"'])
    expect((await ifMatch('*')).status).toBe(201)
    expect((await read(id)).version).toBe(3)
  })

  test('takes notes of many at once, and loses none', async () => {
    const id = idOf(await newReport())
    const texts = Array.from({ length: 12 }, (_, n) => `Note ${n}`)
    await Promise.all(texts.map((text) => note(id, { text })))
    const { history, version } = await read(id)
    expect(version).toBe(12)
    expect(history.map(({ text }) => text).sort()).toEqual([...texts].sort())
    expect((await eventsOf(id)).map(({ data }) => data['text'])).toEqual(history.map(({ text }) => text))
  })

  test('already settled so is a conflict, and a text of blanks is not a reason', async () => {
    const id = idOf(await newReport())
    await dispose(id, 'open', 0)
    expect((await dispose(id, 'open', 1)).json()['code']).toBe('case_conflict')
    for (const text of ['', ' \n\t ', 'x'.repeat(2_001), 'null\u0000'])
      expect((await note(id, { text })).json()).toMatchObject({ status: 400, errors: [{ pointer: '/text' }] })
    expect((await note(id, { text: '👍'.repeat(2_000) })).status).toBe(201)
    expect((await read(id)).version).toBe(2)
  })

  test('is its account’s own, in its environment, and a read-only key reads it', async () => {
    const id = idOf(await newReport())
    await note(id, { text: 'Ours' })
    const strangers = [
      (await installation.key()).key,
      (await installation.key({ accountId, environment: 'test' })).key,
    ]
    for (const key of strangers) {
      for (const reply of [
        await call(url, 'GET', at(id, 'case'), { key }),
        await note(id, { text: 'Theirs' }, { key }),
        await dispose(id, 'cleared', 1, { key }),
      ])
        expect(reply.json()['code']).toBe('not_found')
      expect((await call(url, 'GET', '/v1/cases', { key })).json()['items']).toEqual([])
    }
    const readOnly = (await installation.key({ accountId, scope: 'read-only' })).key
    expect((await read(id, readOnly)).version).toBe(1)
    expect((await note(id, { text: 'No' }, { key: readOnly })).json()['code']).toBe('scope_required')
  })
})

describe('where a second person is asked for', () => {
  const by = (key: string): Order => ({ key, to: strictUrl })

  test('clearing is a proposal until another key confirms it', async () => {
    const id = idOf(await newReport())
    const proposed = caseOf(await dispose(id, 'cleared', 0, by(ann)))
    expect(proposed).toMatchObject({
      ...{ disposition: 'open', version: 1, needs_second_person: true },
      proposal: { disposition: 'cleared', reason: 'Because it is cleared', version: 1 },
    })
    expect((await dispose(id, 'cleared', 1, by(ann))).json()['code']).toBe('case_conflict')
    await note(id, { text: 'Looked at it too' }, by(bob))
    const cleared = caseOf(await dispose(id, 'cleared', 2, by(bob)))
    expect(cleared).toMatchObject({ disposition: 'cleared', proposal: null, version: 3 })
    expect(cleared.history.at(-1)).toMatchObject({ kind: 'disposition_changed', proposal_version: 1 })
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'DispositionProposed',
      'ReportNoteAdded',
      'DispositionChanged',
    ])
  })

  test('a case says whether its reader may confirm, as the refusal would, and the appendix says nothing of readers', async () => {
    const id = idOf(await newReport())
    const mayConfirm = async (key: string): Promise<unknown> => (await read(id, key)).proposal?.may_confirm
    expect(caseOf(await dispose(id, 'cleared', 0, by(ann))).proposal?.may_confirm).toBe(false)
    expect([await mayConfirm(ann), await mayConfirm(bob)]).toEqual([false, true])
    const { items } = (await call(strictUrl, 'GET', '/v1/cases', { key: bob })).json() as {
      items: ReportCase[]
    }
    expect(items[0]!.proposal).not.toHaveProperty('may_confirm')
  })

  test('a note with a disposition is a decision, with the same second person', async () => {
    const id = idOf(await newReport())
    const decide = (key: string): Promise<Reply> =>
      note(id, { text: 'A refund', disposition: 'cleared' }, by(key))
    expect(caseOf(await decide(ann))).toMatchObject({ disposition: 'open', proposal: { reason: 'A refund' } })
    expect((await decide(ann)).json()['code']).toBe('case_conflict')
    expect(caseOf(await decide(bob))).toMatchObject({ disposition: 'cleared', version: 2 })
    const listed = await call(strictUrl, 'GET', at(id, 'notes'), { key: ann })
    const { history } = await read(id)
    expect(listed.json()).toEqual({ items: history, next_page_token: null })
    expect(history.map(({ kind }) => kind)).toEqual(['disposition_proposed', 'disposition_changed'])
  })

  test('who proposed it before names were sealed is still the same person', async () => {
    const [one, other] = [await installation.key({ accountId }), await installation.key({ accountId })]
    const session = async (keyId: string, actor: string, subject: string): Promise<string> =>
      (await beginSession(installation.database, { keyId, actor, subject })).token
    const eve = await session(one.keyId, 'Eve', 'eve-1')
    const eveAgain = await session(other.keyId, 'Eve', 'eve-1')
    const id = idOf(await newReport())
    expect(caseOf(await dispose(id, 'cleared', 0, by(eve))).proposal).not.toBeNull()
    // Write the entry as an earlier release did.
    for (const statement of [
      'ALTER TABLE cases.entry DISABLE TRIGGER entry_stays',
      `UPDATE cases.entry SET actor = 'Eve', subject = 'eve-1' WHERE report_id = '${id}'`,
      'ALTER TABLE cases.entry ENABLE TRIGGER entry_stays',
    ])
      await installation.database.execute(statement)
    expect((await read(id, eveAgain)).proposal?.may_confirm).toBe(false)
    expect((await dispose(id, 'cleared', 1, by(eveAgain))).json()['code']).toBe('case_conflict')
    const adam = await session(other.keyId, 'Adam', 'adam-1')
    expect(caseOf(await dispose(id, 'cleared', 1, by(adam))).disposition).toBe('cleared')
  })

  test('the successor of a rotated key is the same person', async () => {
    const own = await installation.key({ accountId })
    const id = idOf(await newReport())
    await dispose(id, 'cleared', 0, by(own.key))
    const successor = await rotateKey(installation.database, { keyId: own.keyId, by: 'test' })
    expect((await dispose(id, 'cleared', 1, by(successor.key))).json()['code']).toBe('case_conflict')
    expect(caseOf(await dispose(id, 'cleared', 1, by(bob))).disposition).toBe('cleared')
  })

  test('the present disposition declines a proposal, another one replaces it', async () => {
    const id = idOf(await newReport())
    await dispose(id, 'cleared', 0, by(ann))
    const declined = caseOf(await dispose(id, 'open', 1, by(bob)))
    expect(declined).toMatchObject({ disposition: 'open', proposal: null, version: 2 })
    expect(declined.history.at(-1)).toMatchObject({ kind: 'proposal_declined', proposal_version: 1 })
    await dispose(id, 'cleared', 2, by(bob))
    const escalated = caseOf(await dispose(id, 'escalated', 3, by(ann)))
    expect(escalated).toMatchObject({ disposition: 'escalated', proposal: null })
  })
})

test('the list of work shows what is open or escalated, what changed last first, in pages', async () => {
  const { key } = await installation.key()
  const ids: string[] = []
  for (let n = 0; n < 4; n += 1) ids.push(idOf(await newReport(key)))
  const [open, escalated, cleared] = ids as [string, string, string, string]
  await note(open, { text: 'To do' }, { key })
  await dispose(escalated, 'escalated', 0, { key })
  await dispose(cleared, 'cleared', 0, { key })
  const list = async (query: string) => (await call(url, 'GET', `/v1/cases${query}`, { key })).json()
  const listed = async (query: string): Promise<unknown[]> =>
    ((await list(query))['items'] as Record<string, unknown>[]).map((item) => item['report_id'])
  expect(await listed('')).toEqual([cleared, escalated, open])
  expect(await listed('?disposition=unsettled')).toEqual([escalated, open])
  expect(await listed('?disposition=cleared')).toEqual([cleared])
  expect(await listed('?level=orange')).toEqual([])
  await note(open, { text: 'Done' }, { key })
  const first = await list('?page_size=2')
  expect((first['items'] as object[]).length).toBe(2)
  const token = String(first['next_page_token'])
  expect(await listed(`?page_size=2&page_token=${token}`)).toEqual([escalated])
  expect((await list(`?disposition=open&page_token=${token}`))['status']).toBe(400)
})

test('the database refuses to change or delete an entry', async () => {
  const id = idOf(await newReport())
  await note(id, { text: 'Stays' })
  for (const statement of [
    `UPDATE cases.entry SET text = 'Gone' WHERE report_id = '${id}'`,
    `DELETE FROM cases.entry WHERE report_id = '${id}'`,
    'TRUNCATE cases.entry CASCADE',
  ])
    await expect(installation.database.execute(statement)).rejects.toThrow('never changed or deleted')
})

test.each([
  ['before:cases.change:1', 0],
  ['after:cases.change:1', 1],
])('killed %s, an entry and its event are both there or neither is', async (failpoint, version) => {
  const id = idOf(await newReport())
  await installation.apiDies(failpoint, (url) => dispose(id, 'escalated', 0, { to: url }))
  expect((await read(id)).version).toBe(version)
  expect(await eventsOf(id)).toHaveLength(version)
  // The caller reads and decides again; no step is done twice.
  await dispose(id, 'escalated', 0)
  expect((await read(id)).version).toBe(1)
  expect(await eventsOf(id)).toHaveLength(1)
})
