/** Level C recomputes the exposure and cluster of a report from the ledger, as of the state that the report names. */
import type { ReportGenerated } from '@cupel/contracts'
import type { PriceTable } from '@cupel/domain'
import { importPrices, readPriceTable } from '@cupel/ledger'
import type { TestInstallation } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recomputeReports } from '../../src/proofs/index.js'
import { openDeciding, type Deciding } from './deciding.js'

const ASKED = '0x1111111111111111111111111111111111111111'
const THIEF = '0x2222222222222222222222222222222222222222'
const BETWEEN = '0x3333333333333333333333333333333333333333'

const TRANSFERS = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source
ETH,100,2026-11-20T00:00:00Z,0x${'1'.repeat(64)},,native,ETH,,${THIEF},${BETWEEN},5000000000000000000,5,,test
ETH,101,2026-11-20T00:01:00Z,0x${'2'.repeat(64)},,native,ETH,,${BETWEEN},${ASKED},4000000000000000000,4,,test
ETH,102,2026-11-20T00:02:00Z,0x${'3'.repeat(64)},,native,ETH,,${ASKED},${THIEF},1000000000000000000,1,,test
`
const ASKED_NOW = { address: ASKED, chain: 'ETH', reportId: '00000000000000a1' }
const DAY_OF_TRANSFERS = '2026-11-20'
const MORE_TRANSFERS = TRANSFERS.replaceAll('1'.repeat(64), '4'.repeat(64))
  .replaceAll('2'.repeat(64), '5'.repeat(64))
  .replaceAll('3'.repeat(64), '6'.repeat(64))
const LABELS = `address,chain,category,entity,source,source_url,confidence,observed_at
${THIEF},ETH,stolen,A Thief,my_list,https://example.org/list,0.8,2026-11-20
`

let deciding: Deciding
let installation: TestInstallation
let report: ReportGenerated

beforeAll(async () => {
  deciding = await openDeciding()
  ;({ installation } = deciding)
  await deciding.importLabelText(LABELS)
  await deciding.importTransfers('first.csv', TRANSFERS)
  report = await deciding.decide(ASKED_NOW)
  await deciding.append(report)
})
afterAll(async () => await installation.close())

const recomputeC = (reportId = report.reportId) =>
  recomputeReports({
    ...installation.deps,
    log: installation.log,
    levels: ['A', 'C'],
    reportId,
    maxFindings: 10,
  })

test('is the same, byte for byte, and stays so when ledger and labels have grown', async () => {
  expect(report.inputs.exposure?.measures.length).toBeGreaterThan(0)
  expect(await recomputeC()).toMatchObject({
    isProven: true,
    levels: { A: { same: 1 }, C: { same: 1 } },
  })
  await deciding.importTransfers('second.csv', MORE_TRANSFERS)
  await deciding.importLabelText(LABELS.replace('0.8', '0.3'))
  expect(await recomputeC()).toMatchObject({ isProven: true, levels: { C: { same: 1 } } })
})

test('reads the prices that the report used, whatever table is in force now, and says if they are gone', async () => {
  const { database } = installation
  const importTable = async (usd: string): Promise<PriceTable> => {
    const file = await installation.file(
      `prices-${usd}.csv`,
      `day,asset,usd\n${DAY_OF_TRANSFERS},ETH,${usd}\n`,
    )
    const result = await importPrices({ file, importedBy: 'test' }, { database })
    if (result.status !== 'imported') throw new Error(JSON.stringify(result))
    return (await readPriceTable(database, result.sha256))!
  }
  const prices = await importTable('3000.5')
  const reportId = '00000000000000b7'
  const priced = await deciding.decide({ address: ASKED, chain: 'ETH', reportId, prices })
  expect(priced.inputs.exposure).toMatchObject({ priceTableSha256: prices.sha256 })
  const [measure] = priced.inputs.exposure!.measures
  expect(BigInt(measure!.microUsd!)).toBe((BigInt(measure!.amount) * 3_000_500_000n) / 10n ** 18n)
  await deciding.append(priced)
  await importTable('1')
  expect((await recomputeC(reportId)).levels.C).toMatchObject({ same: 1 })
  await database.execute('DELETE FROM ledger.price WHERE sha256 = $1', [prices.sha256])
  const { levels, findings } = await recomputeC(reportId)
  expect(levels.C).toMatchObject({ 'not-derivable': 1, same: 0 })
  expect(findings).toMatchObject([{ reason: expect.stringContaining(prices.sha256) as string }])
})

test('is found where it was changed, though the report follows from the change', async () => {
  const exposure = report.inputs.exposure!
  const measures = exposure.measures.map((measure) => ({ ...measure, amount: '1' }))
  const reportId = '00000000000000b1'
  // This does not decide the report again: level C only compares the record with the ledger.
  await deciding.append({
    ...report,
    reportId,
    inputs: { ...report.inputs, exposure: { ...exposure, measures } },
  })
  const { levels, findings } = await recomputeC(reportId)
  expect(levels.C).toMatchObject({ differs: 1, same: 0 })
  const atC = findings.find(({ level }) => level === 'C')
  expect(atC?.paths).toContain('inputs.exposure.measures.0.amount')
})

test('is not derivable where a segment is gone, and says which', async () => {
  const { database } = installation
  await database.execute('UPDATE ledger.segment SET ledger_seq = NULL WHERE ledger_seq = 1')
  try {
    const { levels, findings, isProven } = await recomputeC()
    expect(levels.C).toMatchObject({ 'not-derivable': 1, differs: 0 })
    expect(findings).toMatchObject([
      { level: 'C', status: 'not-derivable', reason: expect.stringContaining('segment 1') as string },
    ])
    // Nothing differs, but nothing was proven either; the count shows it.
    expect(isProven).toBe(true)
  } finally {
    await database.execute('UPDATE ledger.segment SET ledger_seq = 1 WHERE ledger_seq IS NULL')
  }
})

test('a cluster is read again: its labels at level B, its members at level C', async () => {
  const [asked, thief, stranger] = [
    '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae',
    '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  ]
  const bitcoin = { format: 'bitcoin-etl', chain: 'BTC' }
  const spent = (hash: string, ...owners: readonly string[]) =>
    JSON.stringify({
      ...{ hash: hash.repeat(64), block_number: 1, index: 1, timestamp: Date.parse('2026-11-20') / 1_000 },
      inputs: owners.map((owner) => ({ addresses: [owner], value: 10_000_000 })),
      outputs: [{ addresses: ['1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ'], value: 10_000_000 }],
    })
  await deciding.importTransfers('together.json', spent('7', asked, thief), bitcoin)
  await deciding.importLabelText(LABELS.replace(`${THIEF},ETH`, `${thief},BTC`), 'thieves')
  const reportId = '00000000000000c1'
  const decided = await deciding.decide({ address: asked, chain: 'BTC', reportId })
  expect(decided.inputs.cluster).toMatchObject({ size: 2, stopped: '', labels: [{ member: thief }] })
  expect(decided.level).toBe('orange')
  await deciding.append(decided)

  // Later joins of the cluster and later labels change no earlier state.
  await deciding.importTransfers('later.json', spent('8', asked, stranger), bitcoin)
  await deciding.importLabelText(
    LABELS.replace(`${THIEF},ETH`, `${thief},BTC`).replace('0.8', '0.4'),
    'thieves',
  )
  const proofOf = (id: string) =>
    recomputeReports({
      ...installation.deps,
      log: installation.log,
      levels: ['A', 'B', 'C'],
      reportId: id,
      maxFindings: 10,
    })
  expect(await proofOf(reportId)).toMatchObject({
    ...{ isProven: true, findings: [] },
    levels: { A: { same: 1 }, B: { same: 1 }, C: { same: 1 } },
  })

  const forged = decided.inputs.cluster!.labels.map((one) => ({
    ...one,
    label: { ...one.label, confidencePpm: 300_000 },
  }))
  const forgedId = '00000000000000d1'
  const cluster = { ...decided.inputs.cluster!, labels: forged }
  await deciding.append({ ...decided, reportId: forgedId, inputs: { ...decided.inputs, cluster } })
  const { levels, findings } = await proofOf(forgedId)
  expect(levels).toMatchObject({ A: { differs: 1 }, B: { differs: 1 }, C: { differs: 1 } })
  expect(findings.find(({ level }) => level === 'B')?.paths).toContain('inputs.cluster.0.confidencePpm')
})

test('what another chain was judged by is read again too', async () => {
  const payer = '0x5555555555555555555555555555555555555555'
  const onBsc = TRANSFERS.replaceAll('ETH,1', 'BSC,1').replaceAll(',ETH,,', ',BNB,,').replaceAll(ASKED, payer)
  await deciding.importLabelText(LABELS)
  await deciding.importTransfers('bsc.csv', onBsc, { format: 'csv', chain: 'BSC' })
  const of = { address: payer, chain: 'ETH', candidates: ['BSC', 'MATIC'] }
  const decided = await deciding.decide({ ...of, reportId: '00000000000000c7' })
  expect(decided.inputs.candidates.map(({ chain }) => chain)).toEqual(['BSC'])
  expect(decided.inputs.candidates[0]!.exposure!.measures.length).toBeGreaterThan(0)
  expect(decided.score).toBeGreaterThan(0)
  const evidence: { chain: string; relation: string }[] = JSON.parse(decided.report).risk.evidence
  expect(evidence.filter(({ relation }) => relation === 'direct').map(({ chain }) => chain)).toContain('BSC')
  await deciding.append(decided)

  const [candidate] = decided.inputs.candidates
  const forged = { ...candidate!, exposure: { ...candidate!.exposure!, measures: [] } }
  const forgedId = '00000000000000d7'
  await deciding.append({
    ...decided,
    reportId: forgedId,
    inputs: { ...decided.inputs, candidates: [forged] },
  })
  const proofOf = (reportId: string) =>
    recomputeReports({
      ...{ ...installation.deps, log: installation.log, levels: ['A', 'B', 'C'], reportId, maxFindings: 10 },
    })
  expect(await proofOf(decided.reportId)).toMatchObject({
    levels: { A: { same: 1 }, B: { same: 1 }, C: { same: 1 } },
  })
  expect(await proofOf(forgedId)).toMatchObject({
    levels: { A: { differs: 1 }, B: { same: 1 }, C: { differs: 1 } },
  })
})
