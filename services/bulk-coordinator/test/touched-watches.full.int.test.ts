/** A segment of the ledger lets those watches be decided again that it can change, and the pass through all of them decides the others. */
import { defaultPolicy } from '@cupel/domain'
import { importLedger } from '@cupel/ledger'
import { fullPassAgeMs, goOnWithFullPass, lookForNews } from '@cupel/watches'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findTouched } from '@cupel/watches/worker'
import { addresses, openInstallation, type Installation } from './installation.js'
import { activatePolicy, due, publish, segment, settleAll, watch } from './watching.js'

const [A, B, C, HUB, STRANGER] = addresses(5) as [string, string, string, string, string]
const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index'

let installation: Installation
let row = 0
beforeEach(async () => {
  installation = await openInstallation()
  const limits = { ...defaultPolicy.exposure.limits, hub_counterparties: 2, transfers_per_intermediary: 3 }
  await activatePolicy(installation, { ...defaultPolicy, exposure: { ...defaultPolicy.exposure, limits } })
  await publish(installation, { added: ['0xbad'] })
  await watch(installation, [A, B, C])
  await settleAll(installation)
  await look()
})
afterEach(() => installation.close())

const look = () => lookForNews(installation.database, '1.0.0', findTouched)

/** Imports a transfer of one ether for each pair. */
async function imported(pairs: readonly (readonly [from: string, to: string])[]): Promise<void> {
  const rows = pairs.map(([from, to]) => {
    row += 1
    const hash = `0x${row.toString(16).padStart(64, '0')}`
    return `ETH,${row},2026-11-20T00:00:00Z,${hash},,native,,,${from},${to},1000000000000000000,,,test,1,0`
  })
  const file = await installation.file(`${row}.csv`, `${[HEADING, ...rows].join('\n')}\n`)
  const result = await importLedger(
    { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' },
    { database: installation.database, now: () => new Date('2026-11-22T00:00:00.000Z') },
  )
  if (result.status === 'refused') throw new Error(result.message)
}

/** The watches that the next files make due, once the first one made all due. */
async function begun(pairs: readonly (readonly [from: string, to: string])[]): Promise<void> {
  await imported(pairs)
  await look()
  expect(await due(installation)).toEqual([A, B, C])
  await settleAll(installation)
}

describe('a segment', () => {
  test('lets the address be decided again that it moved, and those whose path leads through it', async () => {
    await begun([[B, STRANGER]])
    await imported([[A, HUB]])
    await look()
    expect(await due(installation)).toEqual([A])
    await settleAll(installation)
    await imported([['0x00000000000000000000000000000000000000ff', STRANGER]])
    await look()
    expect(await due(installation)).toEqual([B])
  })

  test('of a hub that no path goes through lets nobody be decided again; of a labelled one all who dealt with it', async () => {
    await begun([
      [A, HUB],
      [B, HUB],
      [C, HUB],
      [STRANGER, HUB],
    ])
    await imported([[STRANGER, HUB]])
    await look()
    expect(await due(installation)).toEqual([])
    await publish(installation, { added: [HUB], category: 'scam' })
    await look()
    await settleAll(installation)
    await imported([[STRANGER, HUB]])
    await look()
    expect(await due(installation)).toEqual([A, B, C])
  })

  test('of a service, at which paths end, lets nobody be decided again', async () => {
    await begun([
      [A, HUB],
      [B, HUB],
      [C, HUB],
      [STRANGER, HUB],
    ])
    await publish(installation, { added: [HUB], category: 'clean_exchange' })
    await look()
    await settleAll(installation)
    await imported([[STRANGER, HUB]])
    await look()
    expect(await due(installation)).toEqual([])
  })

  test('a list that concerns the deposits of a common hot wallet lets only those be decided again whose paths lead to them', async () => {
    /** More than a search through every transfer takes. */
    const deposits = Array.from(
      { length: 20_100 },
      (_, n) => `0x${(n + 1_000_000).toString(16).padStart(40, '0')}`,
    )
    await begun([...deposits.map((one) => [one, HUB] as const), [A, HUB], [B, HUB], [C, deposits[7]!]])
    await publish(installation, { added: [deposits[7]!, deposits[8]!] })
    await look()
    expect(await due(installation)).toEqual([C])
    await settleAll(installation)
    // A label lets paths go through a hub.
    await publish(installation, { added: [HUB], category: 'scam' })
    await look()
    expect(await due(installation)).toEqual([A, B, C])
  })

  test('of a chain without watches is not searched', async () => {
    await begun([[A, HUB]])
    await segment(installation, 'BTC')
    const searched: string[] = []
    await lookForNews(installation.database, '1.0.0', async (_, { chain }) => {
      searched.push(chain)
      return 'all'
    })
    expect(searched).toEqual([])
  })
})

describe('the pass through all watches', () => {
  const HALF_MS = 6 * 3_600_000
  const pass = () => goOnWithFullPass(installation.database, HALF_MS)
  const dayLater = () =>
    installation.database.execute(
      `UPDATE watches.progress SET pass_began_at = pass_began_at - interval '25 hours', passed_at = passed_at - interval '25 hours'`,
    )
  const ageHours = async (): Promise<number> =>
    Math.round((await fullPassAgeMs(installation.database))! / 3_600_000)
  beforeEach(async () => {
    await begun([[A, HUB]])
    await watch(installation, [addresses(6)[5]!], { livemode: false })
    await watch(installation, [addresses(7)[6]!], { chain: 'BTC' })
    await settleAll(installation)
  })

  test('decides each watch of a chain of the ledger once a day, in parts, and its age begins anew at its end', async () => {
    await pass()
    expect(await due(installation)).toEqual([])
    await dayLater()
    expect(await ageHours()).toBe(25)
    await pass()
    expect((await due(installation)).length).toBeLessThanOrEqual(3)
    expect(await ageHours()).toBe(25)
    await pass()
    expect(await due(installation)).toEqual([A, B, C])
    expect(await ageHours()).toBe(0)
    await settleAll(installation)
    await pass()
    expect(await due(installation)).toEqual([])
  })

  test('leaves out a watch that waits already, and one that ended', async () => {
    await installation.database.execute(
      `UPDATE watches.watch SET pending_report_id = 'next' WHERE address = $1`,
      [A],
    )
    await installation.database.execute('UPDATE watches.watch SET until = now() WHERE address = $1', [B])
    await dayLater()
    await pass()
    await pass()
    expect(await due(installation)).toEqual([C])
  })

  test.each(['before', 'after'])('killed %s a part, it loses no watch and marks none twice', async (side) => {
    await dayLater()
    await installation.coordinatorDies(`${side}:watches.passed:1`)
    const [progress] = await installation.database.query<{ at: string | null }>(
      'SELECT pass_at AS at FROM watches.progress',
    )
    expect(progress!.at === null).toBe(side === 'before')
    await pass()
    await pass()
    expect(await due(installation)).toEqual([A, B, C])
    expect(await ageHours()).toBe(0)
  })
})
