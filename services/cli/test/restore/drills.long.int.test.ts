/** Further drills: other gaps in a backup of the database or of the log, and a restore that is killed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureMasterKeys, keyIdOf, openPersonalData } from '@cupel/personal-data'
import { testEvent } from '@cupel/testkit/installation'
import { topicOf } from '@cupel/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { drillOfEachTest } from '../drill-of-each-test.js'
import { screen, settled } from '../drill.js'

const drill = drillOfEachTest()

test('killed before the end of its transaction it changed nothing, and after it everything', async () => {
  await drill.begin()
  const backup = await drill.installation.backUp()
  await drill.installation.run(async (running) => {
    await screen(running, drill.customer, drill.answered)
    await settled(running)
  })
  await drill.installation.putBack(backup)
  const planned = await drill.installation.restore({ dryRun: true })
  await drill.installation.killedAt('before:restore.restored:1', 'restore')
  expect(await drill.installation.restore({ dryRun: true })).toEqual(planned)
  await drill.installation.killedAt('after:restore.restored:1', 'restore')
  expect(await drill.installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })
  await drill.goesOn()
})

test('deliveries of a past that neither side tells of end, and none is sent', async () => {
  await drill.begin()
  await drill.installation.opened(({ database }) => database.execute('DELETE FROM webhooks.delivery'))
  // This backup also lacks the tables of the projections: every reader would start from the beginning.
  await drill.installation.opened(({ database }) => database.execute('DELETE FROM projection.checkpoint'))
  await drill.installation.opened(({ database }) =>
    database.execute('DELETE FROM access.report_number; INSERT INTO access.report_number (next) VALUES (0)'),
  )
  expect(await drill.installation.restore()).toMatchObject({ mayStart: true, isOlderDatabase: true })
  await drill.goesOn()
})

test('read models that are lost are filled again from the log', async () => {
  await drill.begin()
  await drill.installation.opened(({ database }) =>
    database.execute('TRUNCATE report_view.report; TRUNCATE job_view.job CASCADE'),
  )
  const { changes } = await drill.installation.restore()
  expect(changes).toEqual([
    '2 read models are empty and are filled from the beginning of the log when the projector starts.',
  ])
  await drill.goesOn()
})

test('an older log is refused until an operator accepts what it lost', async () => {
  await drill.begin()
  const older = await drill.installation.backUpLog()
  const lost = await drill.installation.run(async (running) => {
    const reportId = await screen(running, drill.customer, drill.answered)
    await settled(running)
    return reportId
  })
  drill.installation.putBackLog(older)
  const refused = await drill.installation.restore()
  expect(refused).toMatchObject({ mayStart: false, changes: [] })
  expect(refused.refusals).toEqual([
    'The log is older than the database: restore a newer log, or accept the loss with --accept-lost.',
  ])
  expect(refused.lost.join()).toContain('screening.report.events.v1')
  expect(await drill.installation.restore({ acceptsLost: true })).toMatchObject({
    mayStart: true,
    isOlderDatabase: false,
  })
  expect(await drill.installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })
  // The read model still has the report of the lost time, so it stays readable.
  expect(drill.answered.has(lost)).toBe(true)
  await drill.goesOn()
})

test('a key of personal data that an older copy of its schema brings back is destroyed again, also behind an earlier restore', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-restore-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const keysFile = join(folder, 'personal-data-keys.json')
  ensureMasterKeys(keysFile)
  const withKeys = <T>(work: (opened: Awaited<ReturnType<typeof openPersonalData>>) => Promise<T>) =>
    drill.installation.opened(
      async ({ database }) => await work(await openPersonalData({ database, keysFile })),
    )
  const texts = await withKeys(async (personalData) =>
    (await personalData.of('acc_1')).sealReferences(['gone', 'kept']),
  )
  const read = () => withKeys((personalData) => personalData.openText(texts.join(' ')))
  const [keyId] = texts.map((text) => keyIdOf(text)!)
  const [copy] = await drill.installation.opened(({ database }) =>
    database.query<{ wrapped: Buffer; hash: Buffer; master: string }>(
      'SELECT wrapped, reference_hash AS hash, master_id AS master FROM personal_data.reference_key WHERE key_id = $1',
      [keyId],
    ),
  )
  await drill.installation.opened(async ({ log, codec }) => {
    const event = testEvent('PersonalDataErased', 'acc_1', {
      ...{ scope: 'reference', accountId: 'acc_1', period: '', keyIds: [keyId!], plainRecords: 0 },
      ...{ erasedAt: '2026-11-25T09:00:00.000Z', erasedBy: 'test', reason: 'A drill.' },
    })
    await log.append('test', [codec.encode(event, { topic: topicOf(event.type), key: 'acc_1' })])
  })
  const again = '1 times keys of personal data that were destroyed after the backup are destroyed again.'
  expect((await drill.installation.restore()).changes).toContain(again)
  expect(await read()).toBe('erased kept')

  await drill.installation.opened(({ database }) =>
    database.execute(
      `UPDATE personal_data.reference_key SET wrapped = $2, reference_hash = $3, master_id = $4, destroyed_at = NULL
       WHERE key_id = $1`,
      [keyId, copy!.wrapped, copy!.hash, copy!.master],
    ),
  )
  expect((await drill.installation.restore({ dryRun: true })).changes).toEqual([again])
  expect(await read()).toBe('gone kept')
  expect(await drill.installation.restore()).toMatchObject({
    ...{ mayStart: true, isOlderDatabase: false, changes: [again] },
  })
  expect(await read()).toBe('erased kept')
  expect((await drill.installation.restore()).changes).toEqual([])
})
