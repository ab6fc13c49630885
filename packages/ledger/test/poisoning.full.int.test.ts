/** Victims of address poisoning: they paid a scam, often with everything they are known to have sent. */
import { join } from 'node:path'
import { sharedDataFolder } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLedger, type LedgerInstallation } from './installation.js'
import { openSharedJudge, readCsv, type SharedJudge } from './shared-judge.js'

const shared = sharedDataFolder()

describe.skipIf(shared === null)('the payoffs of address poisoning', { timeout: 180_000 }, () => {
  let ledger: LedgerInstallation
  let sharedJudge: SharedJudge
  let senders: ReadonlySet<string>
  let payees: ReadonlySet<string>

  beforeAll(async () => {
    ledger = await startLedger()
    const file = join(shared!, 'chain/eth_address_poisoning_payoffs.csv')
    // The file rounds large token amounts, but they are still whole numbers.
    const summary = await ledger.imported(file)
    expect(summary.rows).toBe(1_738)
    const rows = readCsv<{ from_address: string; to_address: string }>(file)
    senders = new Set(rows.map(({ from_address }) => from_address))
    payees = new Set(rows.map(({ to_address }) => to_address))
    const addresses = new Set([...senders, ...payees])
    sharedJudge = openSharedJudge({ shared: shared!, chain: 'ETH', addresses, database: ledger.database })
  }, 120_000)
  afterAll(async () => await ledger.close())

  test('a victim’s report shows whom it paid, and the victim is not suspected', async () => {
    const victims = [...senders].filter(
      (address) => !payees.has(address) && sharedJudge.labelsAt(address).length === 0,
    )
    expect(victims.length).toBeGreaterThan(1_400)
    let exposed = 0
    for (const address of victims) {
      const judgement = await sharedJudge.judged(address)
      expect(judgement.level, address).toBe('grey')
      // The cap of paying a scam is 15, its weight 0.9.
      expect(judgement.overallHundredths, address).toBeLessThanOrEqual(1_350)
      const item = judgement.evidence.find(
        ({ category, direction }) => category === 'scam' && direction === 'out',
      )
      if (item?.used !== true) continue
      exposed += 1
      expect(item.share, address).toBeNull()
    }
    expect(exposed).toBeGreaterThan(1_400)
  })
})
