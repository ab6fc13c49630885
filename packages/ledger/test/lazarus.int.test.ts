/**
 * Real transfers in and out of sanctioned addresses, against an oracle that adds the file up by itself. An address that dealt with
 * a sanctioned one is at least orange. Zero-value transfers count for nothing, and no unproven transfer makes an address red.
 */
import { join } from 'node:path'
import { baseUnits, type Judgement } from '@cupel/domain'
import { sharedDataFolder } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLedger, type LedgerInstallation } from './installation.js'
import { openSharedJudge, readCsv, type SharedJudge } from './shared-judge.js'

const shared = sharedDataFolder()
const DUST = 10n ** 16n
const EXCHANGE = '0x4976a4a02f38326660d17bf34b431dc6e2eb2327'

interface TransferRow {
  readonly from_address: string
  readonly to_address: string
  readonly amount: string
}
/** The file's totals between one address and the addresses of one category. */
interface Dealings {
  receivedFrom: bigint
  sentTo: bigint
}

describe.skipIf(shared === null)('the transfers of the Ronin thieves', { timeout: 120_000 }, () => {
  let ledger: LedgerInstallation
  let sharedJudge: SharedJudge
  let rows: TransferRow[]
  const judged = new Map<string, Judgement>()
  let sanctioned: ReadonlySet<string>
  let stolen: ReadonlySet<string>

  beforeAll(async () => {
    ledger = await startLedger()
    const file = join(shared!, 'chain/eth_lazarus_ronin_transfers.csv')
    rows = readCsv<TransferRow>(file)
    const summary = await ledger.imported(file)
    expect(summary).toMatchObject({ rows: 436, added: 311, leftOut: { zero_value: 125 } })
    const addresses = new Set(rows.flatMap(({ from_address, to_address }) => [from_address, to_address]))
    sharedJudge = openSharedJudge({ shared: shared!, chain: 'ETH', addresses, database: ledger.database })
    sanctioned = sharedJudge.withCategory('sanctions', ({ source }) => source === 'ofac_sdn')
    stolen = sharedJudge.withCategory('stolen')
    for (const address of addresses) judged.set(address, await sharedJudge.judged(address))
  }, 120_000)
  afterAll(async () => await ledger.close())

  function dealings(address: string, others: ReadonlySet<string>): Dealings {
    const sum: Dealings = { receivedFrom: 0n, sentTo: 0n }
    for (const { from_address, to_address, amount } of rows) {
      const units = baseUnits(amount, 18)
      if (to_address === address && others.has(from_address)) sum.receivedFrom += units
      if (from_address === address && others.has(to_address)) sum.sentTo += units
    }
    return sum
  }

  const direct = (judgement: Judgement, category: string, direction: string) =>
    judgement.evidence.find(
      (item) => item.category === category && item.relation === 'direct' && item.direction === direction,
    )

  /** Addresses that are not sanctioned themselves. */
  const others = (): string[] => [...judged.keys()].filter((address) => !sanctioned.has(address))

  /** Points by the rule for an unknown share: cap · ℓ, at least 25, and below red because no transfer is proven. */
  function expectedPoints(cap: number, units: bigint): number {
    const size = Math.min(1, Math.max(0, Math.log10(Number(units) / Number(DUST)) / 3))
    return Math.min(69.99, Math.max(25, cap * size))
  }

  test('54 recipients are exposed to sanctions, 18 of them directly to stolen value', () => {
    const recipients = others().filter((address) => dealings(address, sanctioned).receivedFrom > 0n)
    expect(recipients).toHaveLength(54)
    for (const address of recipients) {
      const item = direct(judged.get(address)!, 'sanctions', 'in')!
      const { receivedFrom } = dealings(address, sanctioned)
      expect(item.value, address).toBe(`${whole(receivedFrom)} ETH`)
      expect(item.contribution, address).toBeCloseTo(expectedPoints(90, receivedFrom), 1)
      expect(item).toMatchObject({
        used: true,
        share: null,
        pre_designation: null,
        path: [{ execution: 'unknown' }],
      })
      expect(['orange', 'red']).toContain(judged.get(address)!.level)
    }
    const fromStolen = recipients.filter((address) => dealings(address, stolen).receivedFrom > 0n)
    expect(fromStolen).toHaveLength(18)
    for (const address of fromStolen)
      expect(direct(judged.get(address)!, 'stolen', 'in'), address).toMatchObject({
        used: true,
        entity: 'Ronin bridge exploiter',
      })
  })

  test('154 senders are exposed to sanctions by their own act, however little; so is the exchange, whose label that contradicts', () => {
    const senders = others().filter((address) => dealings(address, sanctioned).sentTo > 0n)
    expect(senders).toHaveLength(154)
    for (const address of senders) {
      const item = direct(judged.get(address)!, 'sanctions', 'out')!
      expect(item.contribution, address).toBeCloseTo(
        expectedPoints(95, dealings(address, sanctioned).sentTo),
        1,
      )
      expect(['orange', 'red']).toContain(judged.get(address)!.level)
    }
  })

  test('146 senders are exposed to stolen value by formula, which is nothing below dust', () => {
    const senders = others().filter((address) => dealings(address, stolen).sentTo > 0n)
    expect(senders).toHaveLength(146)
    let belowDust = 0
    for (const address of senders) {
      const item = direct(judged.get(address)!, 'stolen', 'out')!
      if (address === EXCHANGE) continue
      const { sentTo } = dealings(address, stolen)
      const size = Math.min(1, Math.max(0, Math.log10(Number(sentTo) / Number(DUST)) / 3))
      expect(item.contribution, address).toBeCloseTo(0.95 * 20 * item.confidence * size, 1)
      if (sentTo >= DUST) continue
      belowDust += 1
      expect(item.contribution).toBe(0)
    }
    expect(belowDust).toBeGreaterThan(100)
  })

  test('23 senders and 2 recipients of only zero-value transfers have no exposure', () => {
    const touched = (side: 'from_address' | 'to_address', other: 'from_address' | 'to_address'): string[] => [
      ...new Set(rows.filter((row) => sanctioned.has(row[other])).map((row) => row[side])),
    ]
    const senders = touched('from_address', 'to_address').filter(
      (address) => !sanctioned.has(address) && dealings(address, sanctioned).sentTo === 0n,
    )
    const recipients = touched('to_address', 'from_address').filter(
      (address) => !sanctioned.has(address) && dealings(address, sanctioned).receivedFrom === 0n,
    )
    expect([senders.length, recipients.length]).toEqual([23, 2])
    for (const address of senders)
      expect(direct(judged.get(address)!, 'sanctions', 'out'), address).toBeUndefined()
    for (const address of recipients)
      expect(direct(judged.get(address)!, 'sanctions', 'in'), address).toBeUndefined()
    // Addresses without other dealings have no evidence at all.
    const only = [...senders, ...recipients].filter((address) => sharedJudge.labelsAt(address).length === 0)
    for (const address of only) {
      const { receivedFrom, sentTo } = dealings(address, new Set(judged.keys()))
      if (receivedFrom + sentTo > 0n) continue
      expect(judged.get(address), address).toMatchObject({
        level: 'grey',
        overallHundredths: 0,
        evidence: [],
      })
    }
  })

  test('no address is red except by its labels: no transfer of the file is proven', () => {
    for (const address of others()) {
      const { level } = judged.get(address)!
      if (level === 'red') expect(sharedJudge.byLabels(address).level, address).toBe('red')
    }
  })
})

/** An amount of ether in the notation of reports. */
function whole(units: bigint): string {
  const digits = units.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}
