/** The real label files beside the checkout, and the traps that they contain. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSanctions, listSetLabels } from '../../src/read-model/queries.js'
import { listSets } from '../../src/read-model/sets.js'
import type { Label } from '../../src/read-model/labels.js'
import { sharedDataFolder } from '@cupel/testkit'
import type { LabelImportSummary } from '../../src/index.js'
import { startInstallation, type ImportInstallation } from './installation.js'

const shared = sharedDataFolder()
const files =
  shared === null ? [] : readdirSync(join(shared, 'labels')).filter((name) => name.endsWith('.csv'))
const fileOf = (name: string): string => join(shared!, 'labels', name)

let installation: ImportInstallation
const summaries = new Map<string, LabelImportSummary>()

describe.skipIf(shared === null)('the shared label files', () => {
  beforeAll(async () => {
    installation = await startInstallation()
    for (const name of files)
      summaries.set(name, await installation.imported(fileOf(name), { whole: name === 'ofac_sdn.csv' }))
  }, 300_000)
  afterAll(async () => await installation?.close())

  test('are imported without one refused row, every row a label', async () => {
    let rows = 0
    for (const [name, summary] of summaries) {
      const lines = (await readFile(fileOf(name), 'utf8')).trimEnd().split('\n').length - 1
      expect({ name, rows: summary.rows, refused: summary.refused }).toEqual({
        name,
        rows: lines,
        refused: { count: 0, rows: [], reasons: [] },
      })
      expect(summary.added + summary.repeated).toBe(lines)
      rows += lines
    }
    expect(rows).toBeGreaterThan(50_000)
    const sets = await listSets(installation.database)
    expect(sets).toHaveLength(files.length)
    const labels = [...summaries.values()].reduce((sum, { added }) => sum + added, 0)
    expect(sets.reduce((sum, { total }) => sum + total, 0)).toBe(labels)
  })

  test('of one source do not retire each other: six files are six sets', async () => {
    const sets = (await listSets(installation.database)).filter(
      ({ source }) => source === 'graphsense_tagpacks',
    )
    expect(sets).toHaveLength(6)
    for (const { dataset, total } of sets) expect(total).toBe(summaries.get(dataset)!.added)
    expect([...summaries.values()].every(({ retired }) => retired === 0)).toBe(true)
  })

  test('call only OFAC’s own list a designation; the forfeiture of 2020 is a court’s', async () => {
    const sanctions = await labelsOf('graphsense_tagpacks', 'graphsense_sanctions.csv')
    const forfeited = sanctions.filter(({ sourceUrl }) => sourceUrl.includes('aft-alqaeda'))
    expect(forfeited).toHaveLength(146)
    expect(new Set(forfeited.map(({ origin, kind }) => `${origin} ${kind}`))).toEqual(
      new Set(['us-doj official_document']),
    )
    expect(sanctions.filter(({ kind }) => kind === 'designation')).toEqual([])
    const own = (await labelsOf('ofac_sdn', 'ofac_sdn.csv')).filter(
      ({ category }) => category === 'sanctions',
    )
    expect(own).toHaveLength(853)
    expect(new Set(own.map(({ origin, kind }) => `${origin} ${kind}`))).toEqual(
      new Set(['us-ofac designation']),
    )
  })

  test('call the users of a mixer participants', async () => {
    const mixers = await labelsOf('graphsense_tagpacks', 'graphsense_mixer.csv')
    const users = mixers.filter(({ sourceUrl }) => sourceUrl.includes('samourai'))
    expect(users).toHaveLength(4_503)
    expect(new Set(users.map(({ role }) => role))).toEqual(new Set(['participant']))
    expect(mixers.filter(({ role }) => role === 'participant')).toHaveLength(4_503)
  })

  test('do not sanction a delisted party again when the list of 2024 is imported after that of 2026', async () => {
    const delisted = (await readFile(join(shared!, 'raw/ofac/delisted_addresses.csv'), 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
    expect(delisted).toHaveLength(87)
    const old = join(installation.folder, 'ofac_sdn.csv')
    const rows = delisted.map(
      ([address, chain]) => `${address},${chain},sanctions,Delisted,ofac_sdn,,0.99,2024-09-27`,
    )
    const [header] = (await readFile(fileOf('ofac_sdn.csv'), 'utf8')).split('\n', 1)
    await writeFile(old, [header, ...rows, ''].join('\n'))

    const summary = await installation.imported(old)
    expect(summary).toMatchObject({ refused: { count: 0 }, retired: 0, added: 87 })
    expect(summary.sets).toMatchObject([{ historical: true, total: 1_053 }])
    for (const [address, chain] of delisted) {
      const labels = (await installation.show(address!, chain)).filter(
        ({ source, category }) => source === 'ofac_sdn' && category === 'sanctions',
      )
      expect(labels.filter(({ listed }) => listed)).toEqual([])
      expect(labels.every(({ validTo }) => validTo === '2026-08-20T00:00:00.000Z')).toBe(true)
    }
    expect(await labelsOf('ofac_sdn', 'ofac_sdn.csv')).toHaveLength(1_053)
  })

  test('of 2024 as a whole list under another name sanctions nobody again either', async () => {
    const text = await readFile(join(shared!, 'raw/ofac/delisted_addresses.csv'), 'utf8')
    const delisted = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
    const [, ...still] = (await readFile(fileOf('ofac_sdn.csv'), 'utf8')).trimEnd().split('\n')
    const old = await installation.list('ofac_2024.csv', [
      ...delisted.map(
        ([address, chain]) => `${address},${chain},sanctions,Delisted,ofac_sdn,,0.99,2024-09-27`,
      ),
      ...still.map((line) => line.replace(/,[^,]*$/, ',2024-09-27')),
    ])
    const { sets, lost } = await installation.imported(old, { whole: true })
    expect({ sets, lost }).toMatchObject({ sets: [{ historical: true, total: 0 }], lost: [] })
    const inForce = (await listSets(installation.database)).filter(({ source }) => source === 'ofac_sdn')
    expect(inForce.map(({ dataset }) => dataset)).toEqual(['ofac_sdn.csv'])
    for (const [address, chain] of delisted)
      expect(
        (await installation.show(address!, chain)).filter(
          ({ listed, kind }) => listed && kind === 'designation',
        ),
      ).toEqual([])
  })

  test('leave all of OFAC’s addresses designated when 631 random rows, or one file per asset, are added', async () => {
    const [header, ...lines] = (await readFile(fileOf('ofac_sdn.csv'), 'utf8')).trimEnd().split('\n')
    const designated = async (): Promise<number> =>
      new Set((await listSanctions(installation.database, 'us-ofac')).map(({ lookupKey }) => lookupKey)).size
    const before = await designated()
    const some = lines.filter((_, index) => (index * 7_919) % lines.length < 631)
    expect(some).toHaveLength(631)
    const write = async (name: string, rows: readonly string[]): Promise<string> => {
      const path = join(installation.folder, name)
      await writeFile(path, [header, ...rows, ''].join('\n'))
      return path
    }
    expect(await installation.imported(await write('some.csv', some))).toMatchObject({ retired: 0, lost: [] })
    for (const asset of ['ETH', 'BTC', 'TRX']) {
      const own = lines.filter((line) => line.split(',')[1] === asset)
      const result = await installation.imported(await write(`${asset}.txt`, own))
      expect(result).toMatchObject({ retired: 0, lost: [], sets: [{ whole: false }] })
    }
    expect(await designated()).toBe(before)
    const sets = (await listSets(installation.database)).filter(({ source }) => source === 'ofac_sdn')
    expect(sets).toHaveLength(5)
    expect(sets.every(({ total, visible, staleBase }) => total === visible && !staleBase)).toBe(true)
  })

  test('add nothing when they are imported again', async () => {
    for (const name of ['ofac_sdn.csv', 'fbi_dprk.csv', 'defillama_cex.csv']) {
      const { added, changed, retired, unchanged } = await installation.imported(fileOf(name))
      expect({ name, added, changed, retired, unchanged }).toEqual({
        name,
        added: 0,
        changed: 0,
        retired: 0,
        unchanged: summaries.get(name)!.added,
      })
    }
  })

  async function labelsOf(source: string, dataset: string): Promise<Label[]> {
    const labels: Label[] = []
    for await (const page of listSetLabels(installation.database, { source, dataset })) labels.push(...page)
    return labels
  }
})
