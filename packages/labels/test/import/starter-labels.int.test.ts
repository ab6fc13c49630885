import { UNGUARDED_REMOVALS, type Judgement } from '@cupel/domain'
import { labelFormats, type LabelImportRefused, importStarterLabels } from '../../src/index.js'
import { starterLabelsFile } from '../../src/import/starter-labels.js'
import { type LabelRow } from '../../src/formats/label-source.js'
import { listSets } from '../../src/read-model/sets.js'
import { createReadStream } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type ImportInstallation } from './installation.js'
import { judgedIn } from './judged.js'

let installation: ImportInstallation
const rows: LabelRow[] = []
const sanctionsOfStarter: LabelRow[] = []
beforeAll(async () => {
  installation = await startInstallation()
  const open = (): AsyncIterable<Buffer> => createReadStream(starterLabelsFile) as AsyncIterable<Buffer>
  for await (const item of labelFormats.get('csv')!.parse({ open }).items) {
    if (item.type !== 'row') continue
    rows.push(item.row)
    if (item.row.category === 'sanctions') sanctionsOfStarter.push(item.row)
  }
})
afterAll(async () => await installation.close())

test('the starter labels are imported once, whole, and left to the operator afterwards', async () => {
  const first = await importStarterLabels(installation.deps)
  expect(first).toMatchObject({
    status: 'imported',
    refused: { count: 0 },
    repeated: 0,
    added: rows.length,
    visible: true,
  })
  expect(await importStarterLabels(installation.deps)).toBeNull()
  const sets = await listSets(installation.database)
  expect(sets).toMatchObject([
    { source: 'cupel_starter', dataset: 'starter', authorityOrigin: '', total: rows.length },
  ])
})

test('a sanctioned starter address restates OFAC without being its list', async () => {
  const labels = await installation.show('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')
  const classes = labels.map(({ category, origin, kind, role }) => ({ category, origin, kind, role }))
  expect(classes).toContainEqual({
    category: 'sanctions',
    origin: 'us-ofac',
    kind: 'restatement',
    role: 'owner',
  })
  expect(classes).toContainEqual({
    category: 'stolen',
    origin: 'service-ronin',
    kind: 'service_statement',
    role: 'owner',
  })
})

test('every starter address gets the level of its label', async () => {
  for (const row of rows) {
    const { level, overallHundredths } = await judged(row)
    const what = `${row.category} ${row.address}: ${level} ${overallHundredths / 100}`
    if (row.category === 'clean_exchange') expect(overallHundredths, what).toBe(0)
    else expect(level, what).toBe('red')
    if (row.category === 'sanctions') expect(overallHundredths, what).toBeGreaterThanOrEqual(9_500)
  }
})

test('once OFAC’s own list is imported, starter labels no longer sanction an address that it does not contain', async () => {
  const listed = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
  const delisted = '0x797d7Ae72EbddCDea2a346c1834E04d1F8dF102b'
  const sanctioned = rows.filter(({ category, address }) => category === 'sanctions' && address !== delisted)
  const own = await installation.list(
    'sdn.csv',
    sanctioned.map(
      ({ address, chain }) =>
        `${address},${chain},sanctions,A listed party,ofac_sdn,https://ofac.treasury.gov/,0.99,2026-11-20`,
    ),
  )
  const { lost, warnings } = await installation.imported(own, { whole: true })
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /^The import let the list of us-ofac take the place of its restatements .*: \d+ addresses are now stated by the authority itself, and 1 address is no longer stated$/,
    ),
  )
  expect(lost).toMatchObject([{ address: delisted.toLowerCase(), source: 'cupel_starter' }])
  const row = (address: string): LabelRow => rows.find((found) => found.address === address)!
  expect(await judged(row(listed))).toMatchObject({ level: 'red', overallHundredths: 10_000 })
  expect(await judged(row(delisted))).toMatchObject({ overallHundredths: 0 })
})

test('the first whole list gets through by the documented command, however few starter labels it confirms', async () => {
  const fresh = await startInstallation()
  try {
    await importStarterLabels(fresh.deps)
    const list = await fresh.list('sdn.csv', [
      `0x${'7'.repeat(40)},ETH,sanctions,A listed party,ofac_sdn,https://ofac.treasury.gov/,0.99,2026-11-20`,
    ])
    const { status, lost } = await fresh.imported(list, { whole: true })
    expect(status).toBe('imported')
    // There are more than a removal may lose unguarded, and all of them are printed.
    expect(lost.length).toBeGreaterThan(UNGUARDED_REMOVALS)
    expect(new Set(lost.map(({ source }) => source))).toEqual(new Set(['cupel_starter']))
  } finally {
    await fresh.close()
  }
})

test('what another source restates is guarded together with the starter labels', async () => {
  const fresh = await startInstallation()
  try {
    await importStarterLabels(fresh.deps)
    const restated = sanctionsOfStarter.map(({ address, chain }) =>
      [
        address,
        chain,
        'sanctions',
        'Somebody',
        'a_mirror',
        'https://ofac.treasury.gov/',
        '0.9',
        '2026-11-20',
      ].join(),
    )
    await fresh.imported(await fresh.list('mirror.csv', restated))
    const list = await fresh.list('sdn.csv', [
      `0x${'7'.repeat(40)},ETH,sanctions,A listed party,ofac_sdn,https://ofac.treasury.gov/,0.99,2026-11-20`,
    ])
    const refused = await fresh.import(list, { whole: true })
    expect(refused).toMatchObject({ refusal: 'too-many-removals' })
    const { message, removals, lost } = refused as LabelImportRefused
    expect(message).toContain('0 addresses are now stated by the authority itself')
    expect(message).toContain(`${removals} addresses are no longer stated`)
    expect(message).not.toContain('designations')
    expect(lost.every(({ isRestatement }) => isRestatement)).toBe(true)
    const reason = 'the list is here now'
    expect(await fresh.imported(list, { whole: true, acceptRemovals: removals!, reason })).toMatchObject({
      status: 'imported',
    })
  } finally {
    await fresh.close()
  }
})

const judged = ({ address, chain }: LabelRow): Promise<Judgement> => judgedIn(installation, address, chain)
