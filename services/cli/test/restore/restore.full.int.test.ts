/** After a backup of the database is put back and `cupel restore` has run, the installation continues as before. */
import { changeKey, databaseBehindLog } from '@cupel/gate/access'
import { topicOf } from '@cupel/contracts'
import { scan } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { expect, test } from 'vitest'
import { drillOfEachTest } from '../drill-of-each-test.js'
import { enrol, job, note, revoke, screen, settled, transfer, type Customer } from '../drill.js'

const drill = drillOfEachTest()

test('a database that is older than the log is led past everything that the log tells', async () => {
  let thief!: Customer
  let restricted!: Customer
  await drill.installation.run(async (running) => {
    thief = await enrol(running, 'Second')
    restricted = await enrol(running, 'Restricted')
  })
  await drill.begin()
  const backup = await drill.installation.backUp()
  let later!: Customer
  await drill.installation.run(async (running) => {
    await revoke(running, thief)
    await changeKey(running.database, {
      ...{ keyId: restricted.keyId, by: 'test', reason: 'A drill.' },
      change: { scope: 'read-only', allowedIps: ['203.0.113.0/24'] },
    })
    later = await enrol(running, 'Third')
    const reportId = await screen(running, drill.customer, drill.answered)
    await note(running, drill.customer, reportId)
    await job(running, drill.customer, drill)
    await transfer(running, drill.customer, drill)
    await settled(running)
  })
  await drill.installation.putBack(backup)

  expect(await drill.installation.opened(databaseBehindLog)).toMatch(/an older database was restored/)
  const planned = await drill.installation.restore({ dryRun: true })
  expect(await drill.installation.opened(databaseBehindLog)).not.toBeNull()
  const done = await drill.installation.restore()
  expect(done).toEqual(planned)
  expect(done).toMatchObject({ mayStart: true, isOlderDatabase: true, refusals: [] })
  expect(done.lost).toEqual([
    `The key ${later.keyId} was issued after the backup, and no database holds it: issue another one.`,
  ])
  expect(done.changes).toEqual(
    expect.arrayContaining([
      '1 accounts are created again, as the log tells of them.',
      '1 keys that were revoked after the backup are revoked again.',
      '1 keys that were changed after the backup are changed again.',
      expect.stringMatching(/^\d+ entries of cases are added again/),
      '2 webhook deliveries end as the log tells: nothing of them is sent again.',
      expect.stringMatching(/^\d+ screen requests are not decided again/),
      'Report numbers go on behind the highest one of the log.',
    ]),
  )
  expect(await drill.installation.opened(databaseBehindLog)).toBeNull()
  expect(await drill.installation.restore()).toMatchObject({
    mayStart: true,
    isOlderDatabase: false,
    changes: [],
    lost: [],
  })

  await drill.goesOn()
  await drill.installation.run(async ({ call, database }) => {
    expect((await call('/v1/reports', thief.key)).status).toBe(401)
    expect((await call('/v1/reports', restricted.key)).status).toBe(403)
    expect(await database.query("SELECT 1 FROM cases.entry WHERE text = 'Looked at.'")).not.toEqual([])
  })
})

test('openings of a link that came after the backup count again, and the next one is an event of its own', async () => {
  await drill.begin()
  let path = ''
  await drill.installation.run(async (running) => {
    const reportId = await screen(running, drill.customer, drill.answered)
    const made = await until(async () => {
      const reply = await running.call(`/v1/reports/${reportId}/share-links`, drill.customer.key, {})
      expect(reply.status, reply.text).toBe(201)
      return reply
    })
    path = `/v1/shared/${made.json<{ url: string }>().url.split('/').at(-1)}`
    await settled(running)
  })
  const open = (times: number) =>
    drill.installation.run(async (running) => {
      for (let turn = 0; turn < times; turn += 1)
        expect((await running.call(path, drill.customer.key)).status).toBe(200)
      await settled(running)
    })
  const backup = await drill.installation.backUp()
  await open(2)
  await drill.installation.putBack(backup)
  expect((await drill.installation.restore()).changes).toContain(
    '2 openings of share links that came after the backup count again.',
  )
  await open(1)
  await drill.installation.opened(async ({ log, codec, database }) => {
    const openings: [id: string | undefined, opens: number][] = []
    for await (const record of scan(log, [topicOf('ReportShareOpened')])) {
      const opening = codec.decodeAs('ReportShareOpened', record)
      if (opening !== null) openings.push([record.headers['ce_id'], opening.data.opens])
    }
    expect(openings.map(([, opens]) => opens)).toEqual([1, 2, 3])
    expect(new Set(openings.map(([id]) => id)).size).toBe(3)
    expect(await database.query('SELECT opens FROM sharing.share')).toEqual([{ opens: 3 }])
  })
})

test('a ledger segment that the database lacks refuses the start, by its file', async () => {
  await drill.installation.opened(async ({ log, codec }) => {
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
      rowSums: '1,0,0,0,0',
      history: null,
    })
    await log.append('test', [codec.encode(event, { topic: topicOf(event.type), key: 'ETH' })])
  })
  const { mayStart, refusals, changes } = await drill.installation.restore()
  expect({ mayStart, changes: changes.length }).toMatchObject({ mayStart: false })
  expect(refusals).toEqual([expect.stringMatching(/october\.csv.*Import the file again/)])
  expect(await drill.installation.restore({ acceptsMissingLedger: true })).toMatchObject({
    ...{ mayStart: true, isOlderDatabase: true },
    lost: [expect.stringContaining('october.csv')],
  })
  const told = await drill.installation.opened(({ database }) =>
    database.query(
      `SELECT event->'data'->'ledgerSeq' AS left FROM projection.outbox WHERE event->>'type' = 'LedgerSegmentImported'`,
    ),
  )
  expect(told).toEqual([{ left: 0 }])
})

test('nothing is changed while a service is connected', async () => {
  const service = drill.installation.connect('cupel-webhook-dispatcher')
  try {
    await service.query('SELECT 1')
    expect((await drill.installation.restore()).refusals).toEqual([
      'Stop every service first: cupel-webhook-dispatcher are connected to the database.',
    ])
  } finally {
    await service.close()
  }
})
