/** A watched address is decided again when a change may affect it, and each change of its report is told once. */
import { encodeSegwit } from '@cupel/domain'
import { until } from '@cupel/testkit'
import { lookForNews } from '@cupel/watches'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'
import {
  activatePolicy,
  changes,
  due,
  failures,
  publish,
  report,
  segment,
  settleAll,
  watch,
} from './watching.js'

const SCORER = '1.0.0'

let installation: Installation
beforeEach(async () => {
  installation = await openInstallation()
  await activatePolicy(installation)
  await publish(installation, { added: ['0xbad'] })
})
afterEach(() => installation.close())

const [A, B, C] = addresses(3) as [string, string, string]
const D = encodeSegwit('bc', 0, new Uint8Array(20).fill(1))
const green = () => ({ level: 'green', score: 0 })
const look = () => lookForNews(installation.database, SCORER)
const standing = async (): Promise<(string | null)[]> =>
  (
    await installation.database.query<{ level: string | null }>(
      'SELECT CASE WHEN pending_report_id IS NULL AND due_at IS NULL THEN level END AS level FROM watches.watch ORDER BY address',
    )
  ).map(({ level }) => level)

/** Stores the requested reports until every watch has this level. */
async function decided(decide: Parameters<typeof report>[1], levels: readonly string[]): Promise<void> {
  await until(async () => {
    await report(installation, decide)
    expect(await standing()).toEqual(levels)
  })
}

describe('a coordinator', () => {
  test('decides a new watch once, and after a change of labels only the touched watch', async () => {
    const [watchId] = await watch(installation, [A, B])
    await installation.coordinator()
    await decided(green, ['green', 'green'])
    expect(await changes(installation)).toEqual([])
    const before = await installation.requests()
    expect(before).toHaveLength(2)
    expect(before[0]!.data).toMatchObject({ jobId: null, jobIndex: null, lane: 'bulk', accountId: 'acc_1' })

    await publish(installation, { added: [A] })
    const red = (address: string) => (address === A ? { level: 'red', score: 100 } : green())
    await decided(red, ['red', 'green'])
    const requests = await installation.requests()
    expect(requests).toHaveLength(3)
    const previous = before.find(({ data }) => data.address === A)!
    const later = requests.find(({ data }) => data.address === A && data.reportId !== previous.data.reportId)!
    expect((await changes(installation)).map(({ data }) => data)).toMatchObject([
      {
        ...{ watchId, accountId: 'acc_1', livemode: true, address: A, chain: 'ETH', reference: `of ${A}` },
        ...{ previousReportId: previous.data.reportId, previousLevel: 'green', previousScore: 0 },
        ...{ reportId: later.data.reportId, level: 'red', score: 100, causes: ['labels'] },
        // The reports of this test exist only as rows.
        ...{ split: null, splitMissing: 'unreadable' },
        ...{ why: 'see the evidence', reasons: [] },
      },
    ])
    // The end of such a job is announced to no account.
    await until(async () =>
      expect(await installation.database.query('SELECT 1 FROM bulk.job WHERE NOT is_announced')).toEqual([]),
    )
  })

  test('says of a report that is not cleared why, each reason with its remedy', async () => {
    await watch(installation, [A])
    await installation.coordinator()
    await decided(green, ['green'])
    await publish(installation, { added: [A] })
    await decided(() => ({ level: 'grey', score: 0 }), ['grey'])
    expect((await changes(installation)).map(({ data }) => data)).toMatchObject([
      {
        why: 'too little is known to say green',
        reasons: [
          { code: 'shortfall', text: expect.stringContaining('Import the transfers by which') as string },
        ],
      },
    ])
  })

  test('tells of a score only where it moved by the threshold of the watch', async () => {
    await watch(installation, [A], { thresholdHundredths: 1_000 })
    await watch(installation, [B], { thresholdHundredths: 1 })
    await installation.coordinator()
    await decided(() => ({ level: 'orange', score: 40 }), ['orange', 'orange'])
    await activatePolicy(installation)
    const later = () => ({ level: 'orange', score: 49.99 })
    await until(async () => {
      await report(installation, later)
      expect(await changes(installation)).not.toEqual([])
    })
    await decided(later, ['orange', 'orange'])
    expect(await changes(installation)).toHaveLength(1)
    expect((await changes(installation))[0]!.data).toMatchObject({
      address: B,
      causes: ['policy'],
      score: 49.99,
    })
  })

  test.each(['exposure', 'chain_data', 'clusters'] as const)(
    'tells of nothing while %s is missing, screens again until the report is whole, and tells of the highest score at once',
    async (stage) => {
      await watch(installation, [A], { thresholdHundredths: 1 })
      await installation.coordinator()
      await decided(() => ({ level: 'orange', score: 49.99 }), ['orange'])
      await activatePolicy(installation)
      const lacking = async (level: string, score: number): Promise<void> => {
        await installation.database.execute(
          'UPDATE watches.watch SET due_at = clock_timestamp() WHERE due_at IS NOT NULL',
        )
        await until(async () => {
          await report(installation, () => ({ level, score, stage }))
          const shown = await installation.database.query('SELECT level, told_level FROM watches.watch')
          expect(shown).toEqual([{ level, told_level: 'orange' }])
        })
      }
      await lacking('grey', 0)
      // It may be as it is because of what is missing, and is decided again soon.
      await lacking('red', 70)
      expect(await changes(installation)).toEqual([])
      expect(await due(installation)).toEqual([A])
      await installation.database.execute('UPDATE watches.watch SET due_at = clock_timestamp()')
      await until(async () => {
        await report(installation, () => ({ level: 'red', score: 100, stage }))
        expect(await changes(installation)).toMatchObject([
          { data: { previousLevel: 'orange', previousScore: 49.99, level: 'red', score: 100 } },
        ])
      })
      expect(await due(installation)).toEqual([A])
    },
  )

  test('tells of a rise where a stage stays missing, and never of a fall', async () => {
    await watch(installation, [A, B], { thresholdHundredths: 1 })
    await installation.coordinator()
    await decided(() => ({ level: 'orange', score: 49.99 }), ['orange', 'orange'])
    await activatePolicy(installation)
    await until(async () => {
      await installation.database.execute(
        'UPDATE watches.watch SET due_at = clock_timestamp() WHERE due_at IS NOT NULL',
      )
      const found = (address: string) =>
        address === A ? { level: 'red', score: 70 } : { level: 'grey', score: 0 }
      await report(installation, (address) => ({ ...found(address), stage: 'chain_data' }))
      const rows = await installation.database.query<{ failures: number }>(
        'SELECT failures FROM watches.watch WHERE address = $1',
        [B],
      )
      expect(rows[0]!.failures).toBeGreaterThan(4)
    })
    expect((await changes(installation)).map(({ data }) => data)).toMatchObject([
      { address: A, level: 'red' },
    ])
    expect(await failures(installation)).toMatchObject([
      { address: A, failures: 3 },
      { address: B, failures: 3 },
    ])
  })

  test('tells of a score that creeps as soon as it is the threshold away from what was told last', async () => {
    const [watchId] = await watch(installation, [A], { thresholdHundredths: 1_000 })
    await installation.coordinator()
    const ids: string[] = []
    for (const score of [40, 44, 48, 52, 56, 50, 43, 42]) {
      await until(async () => {
        await report(installation, () => ({ level: 'orange', score }))
        const [row] = await installation.database.query<{ id: string; score: number }>(
          'SELECT report_id AS id, score FROM watches.watch',
        )
        expect(row!.score).toBe(score)
        ids.push(row!.id)
      })
      await activatePolicy(installation)
    }
    expect((await changes(installation)).map(({ data }) => data)).toMatchObject([
      { watchId, previousReportId: ids[0], previousScore: 40, reportId: ids[3], score: 52 },
      { watchId, previousReportId: ids[3], previousScore: 52, reportId: ids[7], score: 42 },
    ])
  })

  test('tries again what ended without a report, and takes no failure for a level', async () => {
    await watch(installation, [A])
    await installation.coordinator()
    await until(async () => expect(await report(installation, () => 'failed')).toBe(1))
    const [row] = await until(async () => {
      const rows = await installation.database.query<Record<string, unknown>>(
        `SELECT level, report_id, causes, failures, due_at > now() + interval '30 seconds' AS later FROM watches.watch`,
      )
      expect(rows[0]!['failures']).toBe(1)
      return rows
    })
    expect(row).toEqual({ level: null, report_id: null, causes: ['created'], failures: 1, later: true })
  })
})

describe.each(['watches.touched:1', 'watches.begun:1', 'watches.settled:1'])('killed at %s', (point) => {
  test.each(['before', 'after'])('%s, a coordinator leaves one event of one change', async (side) => {
    await watch(installation, [A, B])
    await settleAll(installation)
    await look()
    await publish(installation, { added: [A] })
    const red = () => ({ level: 'red', score: 100 })
    let isOver = false
    const died = installation.coordinatorDies(`${side}:${point}`).finally(() => (isOver = true))
    await until(async () => {
      await report(installation, red)
      expect(isOver).toBe(true)
    })
    await died
    await installation.coordinator()
    await decided(red, ['red', 'green'])
    expect((await changes(installation)).map(({ data }) => data['address'])).toEqual([A])
    const ids = (await installation.requests()).map(({ data }) => data.reportId)
    expect(new Set(ids).size).toBe(1)
  })
})

describe('what a change touches', () => {
  beforeEach(async () => {
    await watch(installation, [A, B])
    await watch(installation, [A, C], { accountId: 'acc_2' })
    await watch(installation, [A], { livemode: false })
    await watch(installation, [D], { chain: 'BTC' })
    await settleAll(installation)
    expect(await look()).toBe(0)
  })

  test('nothing, where nothing changed', async () => {
    expect(await look()).toBeNull()
    expect(await due(installation)).toEqual([])
  })

  test('by labels: the watches of their addresses, in every account and on every chain that shares the key', async () => {
    await publish(installation, { added: [A, '0xother'] })
    await look()
    expect(await due(installation)).toEqual([A, A])
    await settleAll(installation)
    await publish(installation, { retired: [A] })
    await look()
    expect(await due(installation)).toEqual([A, A])
  })

  test('by a segment: the watches of its chain', async () => {
    await segment(installation, 'BTC')
    await look()
    expect(await due(installation)).toEqual([D])
  })

  test.each<[string, Parameters<typeof publish>[1]]>([
    ['a list that was not there', { source: 'new list' }],
    ['a list that is expected', { kind: 'expected', source: 'awaited' }],
    ['a list that is not a whole list any more', { whole: false }],
  ])('by %s: every watch but those of the sandbox', async (_, publication) => {
    await publish(installation, publication)
    await look()
    expect(await due(installation)).toEqual([A, A, B, C, D])
  })

  test('by an older list: every watch but those of the sandbox', async () => {
    await publish(installation, { asOf: '2026-11-21' })
    await look()
    await settleAll(installation)
    await publish(installation, { asOf: '2026-11-20' })
    await look()
    expect(await due(installation)).toEqual([A, A, B, C, D])
  })

  test('by a list of an authority, not by another one: also the watches whose grey report waits for lists', async () => {
    await installation.database.execute('UPDATE watches.watch SET awaits_lists = true WHERE address = $1', [
      B,
    ])
    await publish(installation, { source: 'other', whole: false, origin: '' })
    await look()
    await settleAll(installation)
    await publish(installation, { source: 'other', whole: false, origin: '' })
    await look()
    expect(await due(installation)).toEqual([])
    await publish(installation)
    await look()
    expect(await due(installation)).toEqual([B])
  })

  test('by a policy: every watch but those of the sandbox; by a scorer: every watch', async () => {
    await activatePolicy(installation)
    await look()
    expect(await due(installation)).toEqual([A, A, B, C, D])
    await lookForNews(installation.database, '9.9.9')
    expect(await due(installation)).toEqual([A, A, A, B, C, D])
  })

  test('not a watch that ended', async () => {
    await installation.database.execute(
      `UPDATE watches.watch SET until = now() WHERE address = $1 AND account_id = 'acc_2'`,
      [A],
    )
    await publish(installation, { added: [A] })
    await look()
    expect(await due(installation)).toEqual([A])
  })

  describe('in turns', () => {
    /** Returns the milliseconds from now until each watch is due, in the order of their turns. */
    const turnsMs = async (): Promise<number[]> =>
      (
        await installation.database.query<{ ms: number }>(
          'SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS ms FROM watches.watch WHERE due_at IS NOT NULL ORDER BY due_at',
        )
      ).map(({ ms }) => ms)

    test('a few watches 300 ms apart, and many within 30 s', async () => {
      await activatePolicy(installation)
      await look()
      const few = await turnsMs()
      expect(few.slice(1).map((ms, index) => Math.round(ms - few[index]!))).toEqual([300, 300, 300, 300])
      expect(few[0]).toBeLessThanOrEqual(0)

      await watch(installation, addresses(300))
      await settleAll(installation)
      await activatePolicy(installation)
      await look()
      const many = await turnsMs()
      expect(many.length).toBeGreaterThan(300)
      const spanMs = many.at(-1)! - many[0]!
      expect(spanMs).toBeGreaterThan(29_800)
      expect(spanMs).toBeLessThan(30_000)
    })

    test('a watch that waits for its turn is put off by no further change', async () => {
      await watch(installation, addresses(300))
      await settleAll(installation)
      await activatePolicy(installation)
      await look()
      const before = (await turnsMs()).at(-1)!
      // As long as the statement takes: turns that began again would be as long as before.
      await installation.database.execute(`UPDATE watches.watch SET due_at = due_at - interval '5 seconds'`)
      await activatePolicy(installation)
      await look()
      expect((await turnsMs()).at(-1)!).toBeLessThan(before - 4_900)
    })

    test('after a change of the ledger a watch waits until scorers have seen it, whatever else changes', async () => {
      const dueAtOf = async (address: string): Promise<number> => {
        const [row] = await installation.database.query<{ ms: number }>(
          'SELECT (extract(epoch FROM due_at) * 1000)::float8 AS ms FROM watches.watch WHERE address = $1',
          [address],
        )
        return row!.ms
      }
      const before = Date.now()
      await segment(installation, 'BTC')
      await look()
      const seenAt = await dueAtOf(D)
      expect(seenAt).toBeGreaterThan(before + 30_000)
      await publish(installation, { added: [D] })
      await activatePolicy(installation)
      await look()
      expect(await due(installation)).toEqual([A, A, B, C, D])
      expect(await dueAtOf(D)).toBeGreaterThanOrEqual(seenAt)
      expect(await dueAtOf(B)).toBeLessThan((await dueAtOf(D)) + 600)
    })
  })
})
