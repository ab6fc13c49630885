/** Drills: a backup of the database or of the log is put back, `cupel restore` runs, and the installation goes on as if nothing had been. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseBehindLog } from '@cupel/access'
import { topicOf } from '@cupel/contracts'
import { ensureMasterKeys, keyIdOf, openPersonalData } from '@cupel/personal-data'
import { testEvent } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  addEndpoint,
  enrol,
  job,
  note,
  nothingRepeated,
  readAll,
  recomputed,
  recorded,
  revoke,
  screen,
  settled,
  startReceiver,
  type Answered,
  type Customer,
  type Receiver,
} from '../../test/drill.js'
import { openRestorable, type Restorable } from '../../test/restorable.js'

let installation: Restorable
let receiver: Receiver
let answered: Answered
let customer: Customer
beforeEach(async () => {
  installation = await openRestorable()
  receiver = await startReceiver()
  answered = new Map()
})
afterEach(async () => {
  await installation.close()
  await receiver.close()
})

/** Work of a day: reports, a job and its webhook. */
const begin = (): Promise<void> =>
  installation.run(async (running) => {
    customer = await enrol(running, 'First')
    await addEndpoint(running, customer, receiver.url)
    await screen(running, customer, answered)
    await job(running, customer, { receiver, answered })
    await settled(running)
  })

/** Everything that was answered is there, nothing comes again, and new work gets ids and webhooks of its own. */
async function goesOn(): Promise<void> {
  const before = await installation.opened(recorded)
  const past = [...receiver.received]
  await installation.run(async (running) => {
    await readAll(running, customer, answered)
    for (let screens = 0; screens < 5; screens += 1) await screen(running, customer, answered)
    await job(running, customer, { receiver, answered })
    await readAll(running, customer, answered)
    await settled(running)
    await recomputed(running)
  })
  expect(receiver.received.slice(past.length).filter((id) => past.includes(id))).toEqual([])
  await installation.opened((opened) => nothingRepeated(opened, before))
}

test('a database that is older than the log is led past everything that the log tells', async () => {
  let thief!: Customer
  await installation.run(async (running) => void (thief = await enrol(running, 'Second')))
  await begin()
  const backup = await installation.backUp()
  let later!: Customer
  await installation.run(async (running) => {
    await revoke(running, thief)
    later = await enrol(running, 'Third')
    const reportId = await screen(running, customer, answered)
    await note(running, customer, reportId)
    await job(running, customer, { receiver, answered })
    await settled(running)
  })
  await installation.putBack(backup)

  expect(await installation.opened(databaseBehindLog)).toMatch(/an older database was restored/)
  const planned = await installation.restore({ dryRun: true })
  expect(await installation.opened(databaseBehindLog)).not.toBeNull()
  const done = await installation.restore()
  expect(done).toEqual(planned)
  expect(done).toMatchObject({ mayStart: true, isOlderDatabase: true, refusals: [] })
  expect(done.lost).toEqual([
    `The key ${later.keyId} was issued after the backup, and no database holds it: issue another one.`,
  ])
  expect(done.changes).toEqual(
    expect.arrayContaining([
      '1 accounts are created again, as the log tells of them.',
      '1 keys that were revoked after the backup are revoked again.',
      expect.stringMatching(/^\d+ entries of cases are added again/),
      '1 webhook deliveries end as the log tells: nothing of them is sent again.',
      expect.stringMatching(/^\d+ screen requests are not decided again/),
      'Report numbers go on behind the highest one of the log.',
    ]),
  )
  expect(await installation.opened(databaseBehindLog)).toBeNull()
  expect(await installation.restore()).toMatchObject({
    mayStart: true,
    isOlderDatabase: false,
    changes: [],
    lost: [],
  })

  await goesOn()
  await installation.run(async ({ call, database }) => {
    expect((await call('/v1/reports', thief.key)).status).toBe(401)
    expect(await database.query("SELECT 1 FROM cases.entry WHERE text = 'Looked at.'")).not.toEqual([])
  })
})

test('killed before the end of its transaction it changed nothing, and after it everything', async () => {
  await begin()
  const backup = await installation.backUp()
  await installation.run(async (running) => {
    await screen(running, customer, answered)
    await settled(running)
  })
  await installation.putBack(backup)
  const planned = await installation.restore({ dryRun: true })
  await installation.killedAt('before:restore.restored:1', 'restore')
  expect(await installation.restore({ dryRun: true })).toEqual(planned)
  await installation.killedAt('after:restore.restored:1', 'restore')
  expect(await installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })
  await goesOn()
})

test('deliveries of a past that neither side tells of end, and none is sent', async () => {
  await begin()
  await installation.opened(({ database }) => database.execute('DELETE FROM webhooks.delivery'))
  // As a backup that lacks the tables of the projections too: every reader would begin anew.
  await installation.opened(({ database }) => database.execute('DELETE FROM projection.checkpoint'))
  await installation.opened(({ database }) =>
    database.execute('DELETE FROM access.report_number; INSERT INTO access.report_number (next) VALUES (0)'),
  )
  expect(await installation.restore()).toMatchObject({ mayStart: true, isOlderDatabase: true })
  await goesOn()
})

test('read models that are lost are filled again from the log', async () => {
  await begin()
  await installation.opened(({ database }) =>
    database.execute('TRUNCATE report_view.report; TRUNCATE job_view.job CASCADE'),
  )
  const { changes } = await installation.restore()
  expect(changes).toEqual([
    '2 read models are empty and are filled from the beginning of the log when the projector starts.',
  ])
  await goesOn()
})

test('an older log is refused until an operator accepts what it lost', async () => {
  await begin()
  const older = await installation.backUpLog()
  const lost = await installation.run(async (running) => {
    const reportId = await screen(running, customer, answered)
    await settled(running)
    return reportId
  })
  installation.putBackLog(older)
  const refused = await installation.restore()
  expect(refused).toMatchObject({ mayStart: false, changes: [] })
  expect(refused.refusals).toEqual([
    'The log is older than the database: restore a newer log, or accept the loss with --accept-lost.',
  ])
  expect(refused.lost.join()).toContain('screening.report.events.v1')
  expect(await installation.restore({ acceptsLost: true })).toMatchObject({
    mayStart: true,
    isOlderDatabase: false,
  })
  expect(await installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })
  // The read model still has the report of the lost time: it stays readable.
  expect(answered.has(lost)).toBe(true)
  await goesOn()
})

test('a ledger segment that the database lacks refuses the start, by its file', async () => {
  await installation.opened(async ({ log, codec }) => {
    const event = testEvent('LedgerSegmentImported', 'ETH', {
      ...{
        segmentId: '7',
        ledgerSeq: 7,
        chain: 'ETH',
        format: 'csv',
        fileName: 'october.csv',
        sha256: 'ab12',
      },
      ...{ covers: [], completeFrom: null, completeTo: null, completeToAt: null, replaces: false, rows: 1 },
      ...{ added: 1, known: 0, timed: 0, retired: 0, leftOut: {}, firstHeight: 1, lastHeight: 1 },
      ...{ assetTableVersion: '1', importedAt: '2026-11-23T02:00:00.000Z', importedBy: 'test', reason: '' },
    })
    await log.append('test', [codec.encode(event, { topic: topicOf(event.type), key: 'ETH' })])
  })
  const { mayStart, refusals, changes } = await installation.restore()
  expect({ mayStart, changes: changes.length }).toMatchObject({ mayStart: false })
  expect(refusals).toEqual([expect.stringMatching(/october\.csv.*Import the file again/)])
  expect(await installation.restore({ acceptsMissingLedger: true })).toMatchObject({
    ...{ mayStart: true, isOlderDatabase: true },
    lost: [expect.stringContaining('october.csv')],
  })
})

test('nothing is changed while a service is connected', async () => {
  const service = installation.connect('cupel-webhook-dispatcher')
  try {
    await service.query('SELECT 1')
    expect((await installation.restore()).refusals).toEqual([
      'Stop every service first: cupel-webhook-dispatcher are connected to the database.',
    ])
  } finally {
    await service.close()
  }
})

test('a key of personal data that an older copy of its schema brings back is destroyed again, also behind an earlier restore', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-restore-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const keysFile = join(folder, 'personal-data-keys.json')
  ensureMasterKeys(keysFile)
  const withKeys = <T>(work: (opened: Awaited<ReturnType<typeof openPersonalData>>) => Promise<T>) =>
    installation.opened(async ({ database }) => await work(await openPersonalData({ database, keysFile })))
  const texts = await withKeys(async (personalData) =>
    (await personalData.of('acc_1')).sealReferences(['gone', 'kept']),
  )
  const read = () => withKeys((personalData) => personalData.openText(texts.join(' ')))
  const [keyId] = texts.map((text) => keyIdOf(text)!)
  const [copy] = await installation.opened(({ database }) =>
    database.query<{ wrapped: Buffer; hash: Buffer; master: string }>(
      'SELECT wrapped, reference_hash AS hash, master_id AS master FROM personal_data.reference_key WHERE key_id = $1',
      [keyId],
    ),
  )
  await installation.opened(async ({ log, codec }) => {
    const event = testEvent('PersonalDataErased', 'acc_1', {
      ...{ scope: 'reference', accountId: 'acc_1', period: '', keyIds: [keyId!], plainRecords: 0 },
      ...{ erasedAt: '2026-11-25T09:00:00.000Z', erasedBy: 'test', reason: 'A drill.' },
    })
    await log.append('test', [codec.encode(event, { topic: topicOf(event.type), key: 'acc_1' })])
  })
  const again = '1 times keys of personal data that were destroyed after the backup are destroyed again.'
  expect((await installation.restore()).changes).toContain(again)
  expect(await read()).toBe('erased kept')

  await installation.opened(({ database }) =>
    database.execute(
      `UPDATE personal_data.reference_key SET wrapped = $2, reference_hash = $3, master_id = $4, destroyed_at = NULL
       WHERE key_id = $1`,
      [keyId, copy!.wrapped, copy!.hash, copy!.master],
    ),
  )
  expect((await installation.restore({ dryRun: true })).changes).toEqual([again])
  expect(await read()).toBe('gone kept')
  expect(await installation.restore()).toMatchObject({
    ...{ mayStart: true, isOlderDatabase: false, changes: [again] },
  })
  expect(await read()).toBe('erased kept')
  expect((await installation.restore()).changes).toEqual([])
})
