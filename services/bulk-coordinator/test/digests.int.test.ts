/** Once a day an account gets the state of its watches: exactly once, whatever process or clock fails. */
import { until } from '@cupel/testkit'
import { listWatches, MAX_DIGEST_ITEMS, replayDigest, writeDigests } from '@cupel/watches'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'
import { settleAll, watch } from './watching.js'

const [A, B, C, D, E] = addresses(5) as [string, string, string, string, string]
const HOUR = 6

let installation: Installation
beforeEach(async () => {
  installation = await openInstallation()
})
afterEach(() => installation.close())

interface Digest {
  readonly id: string
  readonly data: Record<string, unknown> & { readonly changes: readonly Record<string, unknown>[] }
}

async function digests(): Promise<Digest[]> {
  const rows = await installation.database.query<{
    event: { type: string; envelope: { id: string }; data: Digest['data'] }
  }>('SELECT event FROM projection.outbox ORDER BY seq')
  return rows.flatMap(({ event }) =>
    event.type === 'WatchesDigested' ? [{ id: event.envelope.id, data: event.data }] : [],
  )
}

const look = (now: string, hour = HOUR): Promise<number> =>
  writeDigests(installation.database, { hour, now: `2026-11-${now}:00.000Z` })

/** Records a change of each address as told to the account. */
async function told(texts: readonly string[], level: string, score: number): Promise<void> {
  await installation.database.execute(
    `UPDATE watches.watch SET told_report_id = 'of ' || $2 || ' ' || watch_id, told_level = $2, told_score = $3 WHERE address = ANY ($1::text[])`,
    [texts, level, score],
  )
}

/** Creates watches of an account that has begun its first day. */
async function begun(texts: readonly string[]): Promise<string[]> {
  const ids = await watch(installation, texts, { digest: true })
  await settleAll(installation)
  expect(await look('20T12:00')).toBe(0)
  return ids
}

test('it lists what changed since the last one, counts the rest, and names what keeps failing', async () => {
  const ids = await begun([A, B, C])
  await watch(installation, [D], { digest: true })
  await installation.database.execute('UPDATE watches.watch SET failures = 3 WHERE address = $1', [C])
  await installation.database.execute('UPDATE watches.watch SET failures = 2 WHERE address = $1', [B])
  await told([A], 'orange', 40)
  await told([A], 'red', 100)
  await told([B], 'orange', 40)
  expect(await look('21T05:59')).toBe(0)
  expect(await look('21T06:00')).toBe(1)
  const [first] = await digests()
  expect(first!.data).toEqual({
    ...{ accountId: 'acc_1', livemode: true, day: '2026-11-21', from: '2026-11-20T06:00:00.000Z' },
    ...{
      until: '2026-11-21T06:00:00.000Z',
      watched: 4,
      changed: 2,
      unchanged: 0,
      undecided: 1,
      unknown: 1,
      failing: 1,
    },
    changes: [
      {
        ...{ watchId: ids[0], address: A, chain: 'ETH' },
        ...{ previousReportId: ids[0], previousLevel: 'green', previousScore: 0 },
        ...{ reportId: `of red ${ids[0]}`, level: 'red', score: 100 },
      },
      {
        ...{ watchId: ids[1], address: B, chain: 'ETH' },
        ...{ previousReportId: ids[1], previousLevel: 'green', previousScore: 0 },
        ...{ reportId: `of orange ${ids[1]}`, level: 'orange', score: 40 },
      },
    ],
    failures: [{ watchId: ids[2], address: C, chain: 'ETH', failures: 3 }],
  })
  await told([A], 'green', 0)
  expect(await look('22T06:01')).toBe(1)
  expect((await digests())[1]!.data).toMatchObject({
    ...{ day: '2026-11-22', from: '2026-11-21T06:00:00.000Z', changed: 1, unchanged: 0, unknown: 2 },
    changes: [{ previousLevel: 'red', previousScore: 100, level: 'green', score: 0 }],
  })
  expect(await look('23T06:01')).toBe(1)
  expect((await digests())[2]!.data).toMatchObject({ changed: 0, unchanged: 1, unknown: 2, changes: [] })
})

test('a watch whose turn after a change comes later is not unchanged', async () => {
  await begun([A, B])
  await installation.database.execute(
    `UPDATE watches.watch SET due_at = now() + interval '1 hour', causes = '{ledger}' WHERE address = $1`,
    [A],
  )
  expect(await look('21T06:00')).toBe(1)
  expect((await digests())[0]!.data).toMatchObject({ watched: 2, changed: 0, unknown: 1, unchanged: 1 })
})

test('a watch that does not ask for it, one that ended, and those of others are not a part of it', async () => {
  await begun([A])
  await watch(installation, [B])
  await watch(installation, [C], { digest: true })
  await watch(installation, [D], { accountId: 'acc_2', digest: true })
  await watch(installation, [E], { livemode: false, digest: true })
  await settleAll(installation)
  await installation.database.execute('UPDATE watches.watch SET until = now() WHERE address = $1', [C])
  await told([A, B, C, D, E], 'red', 100)
  await look('21T07:00')
  expect((await digests()).map(({ data }) => data)).toMatchObject([
    { accountId: 'acc_1', livemode: true, watched: 1, changed: 1, changes: [{ address: A }] },
  ])
  // The others began their first day at that look.
  await look('22T07:00')
  expect((await digests()).slice(1).map(({ data }) => [data['accountId'], data['livemode']])).toEqual([
    ['acc_1', false],
    ['acc_1', true],
    ['acc_2', true],
  ])
})

test('of many changes it lists some, and the list of watches has all of them', async () => {
  const texts = addresses(MAX_DIGEST_ITEMS + 5)
  await begun(texts)
  await told(texts.slice(1), 'red', 100)
  await look('21T06:00')
  const [digest] = await digests()
  expect(digest!.data).toMatchObject({ changed: MAX_DIGEST_ITEMS + 4, unchanged: 1 })
  expect(digest!.data.changes).toHaveLength(MAX_DIGEST_ITEMS)
  const owner = { accountId: 'acc_1', livemode: true }
  const listed = (changedIn: string) =>
    listWatches(installation.database, owner, { pageSize: 200, after: null, changedIn })
  expect((await listed('2026-11-21')).items.map(({ address }) => address).sort()).toEqual(
    texts.slice(1).sort(),
  )
  expect((await listed('2026-11-20')).items).toEqual([])
})

describe('a day has one digest', () => {
  test('whoever looks, and how often', async () => {
    await begun([A])
    await told([A], 'red', 100)
    const written = await Promise.all(
      [1, 2, 3].map(() =>
        writeDigests(installation.connect(), { hour: HOUR, now: '2026-11-21T09:00:00.000Z' }),
      ),
    )
    expect(written.reduce((sum, one) => sum + one)).toBe(1)
    expect(await look('21T23:59')).toBe(0)
    expect(await digests()).toHaveLength(1)
  })

  test('also where a clock goes back, the hour is changed, or a restored database had lost it', async () => {
    await begun([A])
    expect(await look('21T09:00')).toBe(1)
    expect(await look('20T09:00')).toBe(0)
    expect(await look('21T08:00')).toBe(0)
    expect(await look('21T10:00', 8)).toBe(0)
    const { data } = (await digests())[0]!
    await installation.database.execute('DELETE FROM watches.digest')
    await installation.database.transaction({ at: 'test' }, async (transaction) => {
      await replayDigest(transaction, data as never)
      await replayDigest(transaction, { ...data, until: '2026-11-19T06:00:00.000Z' } as never)
    })
    expect(await look('21T10:00')).toBe(0)
    expect(await look('22T06:00')).toBe(1)
  })

  test('after days without a coordinator, for all of them', async () => {
    await begun([A])
    await told([A], 'red', 100)
    expect(await look('24T12:00')).toBe(1)
    expect((await digests())[0]!.data).toMatchObject({
      ...{
        day: '2026-11-24',
        from: '2026-11-20T06:00:00.000Z',
        until: '2026-11-24T06:00:00.000Z',
        changed: 1,
      },
    })
  })

  test.each(['before', 'after'])('also where a coordinator dies %s it is written', async (side) => {
    await begun([A])
    await told([A], 'red', 100)
    await installation.coordinatorDies(`${side}:watches.digested:1`)
    await installation.coordinator()
    const [digest] = await until(async () => {
      const found = await digests()
      expect(found).not.toEqual([])
      return found
    })
    expect(digest!.data).toMatchObject({ watched: 1, changed: 1, unchanged: 0 })
    await writeDigests(installation.database, { hour: HOUR })
    expect(await digests()).toHaveLength(1)
  })
})
