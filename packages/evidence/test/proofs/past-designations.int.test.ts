/** A delisting by a newer list, from the import to the report: who was paid while the designation was in force is not cleared by it. */
import { importLabels } from '@cupel/labels'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recomputeReports } from '../../src/proofs/index.js'
import { openDeciding, type Deciding } from './deciding.js'

const DELISTED = '0x1111111111111111111111111111111111111111'
const PAYEE = '0x2222222222222222222222222222222222222222'
const LATER = '0x3333333333333333333333333333333333333333'
const LISTED = '0x4444444444444444444444444444444444444444'

const TRANSFERS = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status
ETH,100,2026-01-10T00:00:00Z,0x${'1'.repeat(64)},,native,ETH,,${DELISTED},${PAYEE},50000000000000000000,50,,test,1
ETH,200,2026-09-10T00:00:00Z,0x${'2'.repeat(64)},,native,ETH,,${DELISTED},${LATER},50000000000000000000,50,,test,1
`
const listOf = (...addresses: readonly string[]): string =>
  `address,chain,category,entity,source,source_url,confidence,observed_at
${addresses.map((one) => `${one},ETH,sanctions,A Party,ofac_sdn,https://example.org/list,,2026-01-01\n`).join('')}`

let deciding: Deciding
beforeEach(async () => {
  deciding = await openDeciding()
  await deciding.importTransfers('transfers.csv', TRANSFERS)
}, 60_000)
afterEach(async () => await deciding.installation.close())

async function importList(text: string, asOf: string, set: string): Promise<void> {
  const { installation } = deciding
  const file = await installation.file('list.csv', text)
  const request = { file, format: 'csv' as const, set, whole: true, asOf, importedBy: 'test' }
  const accepted = { acceptRemovals: 1, reason: 'delisted' }
  const deps = { ...installation.deps, labelView: 'here' as const }
  const first = await importLabels(request, deps)
  const result = first.status === 'refused' ? await importLabels({ ...request, ...accepted }, deps) : first
  expect(result).toMatchObject({ status: 'imported' })
}

let made = 0
const screened = async (address: string) => {
  made += 1
  const event = await deciding.decide({ address, chain: 'ETH', reportId: `${made}`.padStart(16, '0') })
  await deciding.append(event)
  const { risk } = JSON.parse(event.report) as {
    readonly risk: { readonly evidence: readonly Readonly<Record<string, unknown>>[] }
  }
  return { level: event.level, score: event.score, evidence: risk.evidence }
}

test.each([
  ['of the same name', 'sdn', 'sdn'],
  ['of another name', 'sdn_old', 'sdn_new'],
])(
  'a newer list %s delists the payer: the payee stays orange, the payer is not red',
  async (_, older, newer) => {
    await importList(listOf(DELISTED, LISTED), '2026-01-01', older)
    expect(await screened(DELISTED)).toMatchObject({ level: 'red', score: 100 })
    expect(await screened(PAYEE)).toMatchObject({ level: 'red', score: 90 })

    await importList(listOf(LISTED), '2026-08-01', newer)
    expect(await screened(DELISTED)).toMatchObject({
      ...{ level: 'grey', score: 0 },
      evidence: [{ relation: 'ownership', status: 'ended', contribution: 0 }],
    })
    expect(await screened(PAYEE)).toMatchObject({
      ...{ level: 'orange', score: 69.99 },
      evidence: [
        {
          ...{ relation: 'direct', status: 'historical', capped_by: 'historical', contribution: 69.99 },
          ...{ decisive: true, address: DELISTED, source: 'ofac_sdn' },
        },
      ],
    })
    expect(await screened(LATER)).toMatchObject({ level: 'grey', score: 0, evidence: [] })

    const { deps, log } = deciding.installation
    const { isProven, levels } = await recomputeReports({
      ...deps,
      log,
      levels: ['A', 'B', 'C'],
      maxFindings: 10,
    })
    expect(isProven).toBe(true)
    expect(levels.C).toMatchObject({ differs: 0 })
  },
)
