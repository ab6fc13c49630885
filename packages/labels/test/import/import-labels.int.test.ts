import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LABEL_PARTITION, LABEL_TOPIC } from '../../src/read-model/reducers.js'
import { listPublications, listSets } from '../../src/read-model/sets.js'
import { importLabels } from '../../src/index.js'
import { startInstallation, type ImportInstallation } from './installation.js'
import { BTC, evm, row, rows, type Row } from './rows.js'

const BTC_TWO = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'

let installation: ImportInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => await installation.close())

const labelsEnd = (): Promise<number> => installation.deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION)

describe('an import', () => {
  test('makes the labels of a file visible, with the address parsed and the origin classified', async () => {
    const file = await installation.list('first.csv', [
      row({ source: 'first', entity: 'Somebody', confidence: '0.85', url: 'https://example.org/a' }),
    ])
    const summary = await installation.imported(file)
    expect(summary).toMatchObject({ status: 'imported', rows: 1, added: 1, retired: 0, visible: true })
    expect(summary.sets).toMatchObject([
      {
        source: 'first',
        dataset: 'first.csv',
        asOf: '2026-01-01T00:00:00.000Z',
        total: 1,
        historical: false,
      },
    ])
    const labels = (await installation.show(BTC)).filter((label) => label.source === 'first')
    expect(labels).toMatchObject([
      {
        dataset: 'first.csv',
        chain: 'BTC',
        address: BTC,
        canonicalAddress: BTC,
        category: 'scam',
        entity: 'Somebody',
        role: 'owner',
        origin: 'first',
        kind: 'crowd',
        confidencePpm: 850_000,
        observedAt: '2026-01-01T00:00:00.000Z',
        validFrom: null,
        validTo: null,
        listed: true,
      },
    ])
  })

  test('of the same file adds nothing but a publication that confirms the set', async () => {
    const file = await installation.list('again.csv', rows('again', 30))
    await installation.imported(file)
    const before = await labelsEnd()
    const summary = await installation.imported(file)
    expect(summary).toMatchObject({ added: 0, changed: 0, unchanged: 30, retired: 0 })
    expect(await labelsEnd()).toBe(before + 1)
    const [newest, first] = await listPublications(installation.database, {
      source: 'again',
      dataset: 'again.csv',
    })
    expect(newest).toMatchObject({ total: 30, added: 0, unchanged: 30 })
    expect(first).toMatchObject({ total: 30, added: 30 })
  })

  test('states many labels in few records, and ends each with a record of its own', async () => {
    const names = ['short', 'x'.repeat(2_000)]
    const lines = names.flatMap((entity, set) => rows('many', 600, { entity }, 1 + 10_000 * set))
    const before = await labelsEnd()
    const file = await installation.list('many.csv', lines)
    expect(await installation.imported(file)).toMatchObject({ added: 1_200, visible: true })
    const records = (await installation.records(LABEL_TOPIC)).slice(before)
    // 1,200 labels with 1.2 million characters, and the publication.
    expect(records.length).toBeLessThan(20)
    expect(Math.max(...records.map(({ value }) => value.length))).toBeLessThan(300_000)
    for (const number of [1, 600, 10_001, 10_600])
      expect((await installation.show(evm(number))).filter(({ source }) => source === 'many')).toHaveLength(1)
    const fewer = await installation.list('many.csv', lines.slice(10))
    expect(await installation.imported(fewer)).toMatchObject({ added: 0, unchanged: 1_190, retired: 10 })
  })

  test('retires removed labels; a label that is listed again is a new one with its own interval', async () => {
    const name = 'interval.csv'
    const two = [
      row({ source: 'interval' }),
      row({ source: 'interval', address: BTC_TWO, date: '2026-01-01' }),
    ]
    const one = [row({ source: 'interval', address: BTC_TWO, date: '2026-02-01' })]
    await installation.imported(await installation.list(name, two))
    expect(await installation.imported(await installation.list(name, one))).toMatchObject({
      retired: 1,
      unchanged: 1,
    })
    await installation.imported(
      await installation.list(
        name,
        two.map((text) => text.replace('2026-01', '2026-03')),
      ),
    )
    const labels = (await installation.show(BTC)).filter((label) => label.source === 'interval')
    expect(labels).toMatchObject([
      { listed: false, validTo: '2026-02-01T00:00:00.000Z' },
      { listed: true, validTo: null, knownTo: null },
    ])
    expect(labels[0]!.labelId).not.toBe(labels[1]!.labelId)
    expect(labels[0]!.knownTo).not.toBeNull()
  })

  test('counts a changed date as unchanged, and a changed confidence or link as a changed label', async () => {
    const name = 'revised.csv'
    const told = (extra: Row): string =>
      row({ source: 'revised', address: evm(0xabc), chain: 'ETH', ...extra })
    await installation.imported(await installation.list(name, [told({})]))
    expect(
      await installation.imported(await installation.list(name, [told({ date: '2026-02-02' })])),
    ).toMatchObject({
      unchanged: 1,
      changed: 0,
      added: 0,
    })
    const changed = await installation.imported(
      await installation.list(name, [
        told({ date: '2026-02-03', confidence: '0.3', url: 'https://example.org/b' }),
      ]),
    )
    expect(changed).toMatchObject({ unchanged: 0, changed: 1, added: 0, retired: 0 })
    expect(changed.sets[0]).toMatchObject({ total: 1 })
    const labels = await installation.show(evm(0xabc))
    expect(labels.filter((label) => label.source === 'revised')).toMatchObject([
      { listed: false, confidencePpm: 800_000 },
      { listed: true, confidencePpm: 300_000 },
    ])
  })

  test('refuses bad rows with line and reason and takes the others', async () => {
    const summary = await installation.imported(
      await installation.list('rows.csv', [
        row({ source: 'rows', address: evm(0xdef), chain: 'ETH' }),
        row({ source: 'rows', address: `${BTC.slice(0, -1)}U` }),
        row({ source: 'rows', address: '0x326031E680419FB020A5361fF56384e166b5aa85', chain: 'ETH' }),
        row({ source: 'rows', chain: 'NOPE' }),
        row({ source: 'rows', chain: 'ETH' }),
        row({ source: 'rows', category: 'fraud' }),
        row({ source: '' }),
      ]),
    )
    expect(summary).toMatchObject({ rows: 7, added: 1 })
    expect(summary.refused.count).toBe(6)
    expect(summary.refused.rows.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8])
    expect(summary.refused.rows.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('bad checksum'),
      expect.stringContaining('eip55 mismatch'),
      expect.stringContaining('no chain "NOPE"'),
      expect.stringContaining('wrong chain'),
      expect.stringContaining('unknown category'),
      'the row names no source',
    ])
  })

  test('keeps one label of rows that state the same fact, the most confident one', async () => {
    const same = { source: 'repeated', chain: 'ETH' }
    const summary = await installation.imported(
      await installation.list('repeated.csv', [
        row({
          ...same,
          address: '0x00000000000000000000000000000000000000Aa'.toLowerCase(),
          confidence: '0.5',
        }),
        row({ ...same, address: evm(0xaa), confidence: '0.9' }),
        row({ ...same, address: evm(0xaa), confidence: '0.7' }),
      ]),
    )
    expect(summary).toMatchObject({ added: 1, repeated: 2 })
    const labels = (await installation.show(evm(0xaa))).filter(({ source }) => source === 'repeated')
    expect(labels).toMatchObject([{ confidencePpm: 900_000 }])
  })

  test('of a file with several sources publishes a set for each, and does not touch sets that it does not name', async () => {
    const name = 'several.csv'
    await installation.imported(await installation.list(name, [...rows('one', 3), ...rows('two', 4)]))
    const summary = await installation.imported(await installation.list(name, rows('one', 2)))
    expect(summary.sets).toMatchObject([{ source: 'one', total: 2, retired: 1 }])
    const sets = (await listSets(installation.database)).filter(({ dataset }) => dataset === name)
    expect(sets).toMatchObject([
      { source: 'one', total: 2 },
      { source: 'two', total: 4 },
    ])
  })

  test('takes --source for every row and --set for the dataset', async () => {
    const file = await installation.list('x.csv', [...rows('one', 1), ...rows('two', 1, {}, 2)])
    const summary = await installation.imported(file, { source: 'mine', set: 'named' })
    expect(summary.sets).toMatchObject([{ source: 'mine', dataset: 'named', total: 2 }])
  })

  test('with --append adds and never retires', async () => {
    const name = 'append.csv'
    await installation.imported(await installation.list(name, rows('append', 20)))
    const summary = await installation.imported(await installation.list(name, rows('append', 5, {}, 100)), {
      append: true,
    })
    expect(summary).toMatchObject({ added: 5, retired: 0 })
    expect(summary.sets[0]).toMatchObject({ total: 25 })
    const [published] = await listPublications(installation.database, { source: 'append', dataset: name })
    expect(published).toMatchObject({ appended: true, total: 25 })
  })

  test('with --dry-run reports the same figures and appends nothing', async () => {
    const file = await installation.list('dry.csv', rows('dry', 7))
    const before = await labelsEnd()
    expect(await installation.imported(file, { dryRun: true })).toMatchObject({ status: 'dry-run', added: 7 })
    expect(await labelsEnd()).toBe(before)
    expect(await installation.imported(file)).toMatchObject({ added: 7 })
  })

  test('larger than its memory limit gives the same result through a temporary table', async () => {
    const name = 'large.csv'
    const deps = { ...installation.deps, memoryLabels: 500 }
    const run = async (lines: string[]): Promise<unknown> =>
      await importLabels(
        { file: await installation.list(name, lines), format: 'csv', importedBy: 'operator:test' },
        deps,
      )
    expect(await run(rows('large', 3_000))).toMatchObject({ added: 3_000, retired: 0 })
    const next = [...rows('large', 2_950), ...rows('large', 300, {}, 9_000), ...rows('large', 10)]
    expect(await run(next)).toMatchObject({ added: 300, unchanged: 2_950, retired: 50, repeated: 10 })
    const sets = (await listSets(installation.database)).filter(({ source }) => source === 'large')
    expect(sets).toMatchObject([{ total: 3_250 }])
  })

  test('has the format’s date, else the operator’s, else its newest observation', async () => {
    const file = await installation.list('dated.csv', [
      ...rows('dated', 1, { date: '2025-05-05' }),
      ...rows('dated', 1, { date: '2025-06-06' }, 2),
    ])
    expect((await installation.imported(file)).sets[0]!.asOf).toBe('2025-06-06T00:00:00.000Z')
    const stated = await installation.imported(file, { asOf: '2025-07-07' })
    expect(stated.sets[0]!.asOf).toBe('2025-07-07T00:00:00.000Z')
  })
})

describe('a set that cannot be trusted', () => {
  test.each([
    ['cut off', (text: string) => text.slice(0, -20), 'truncated'],
    [
      'not UTF-8',
      (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]),
      'undecodable',
    ],
    ['of another layout', (text: string) => text.replace('address,chain', 'chain,address'), 'wrong-header'],
    ['with a column too many', (text: string) => `${text}${row({})},more\n`, 'wrong-columns'],
  ])('is refused as a whole and leaves the published one: %s', async (what, spoil, refusal) => {
    const source = `spoiled ${what}`
    const whole = await installation.list('list.csv', rows(source, 10))
    await installation.imported(whole)
    const before = await labelsEnd()
    await writeFile(whole, spoil(await readFile(whole, 'utf8')))
    expect(await installation.import(whole)).toMatchObject({ status: 'refused', refusal })
    expect(await labelsEnd()).toBe(before)
    const sets = (await listSets(installation.database)).filter((set) => set.source === source)
    expect(sets).toMatchObject([{ total: 10 }])
  })

  test.each([
    ['no rows', [], 'no-usable-row'],
    ['no usable row', [row({ address: 'nonsense' })], 'no-usable-row'],
    ['no source', [row({ source: '' })], 'no-source'],
  ])('is refused with %s', async (_what, lines, refusal) => {
    expect(await installation.import(await installation.list('none.csv', lines))).toMatchObject({ refusal })
  })

  test.each([
    ['an unknown format', { format: 'xlsx' }, 'unknown-format'],
    ['something else as a date', { asOf: 'yesterday' }, 'bad-option'],
    ['accepted removals without a reason', { acceptRemovals: 7 }, 'bad-option'],
    ['a set name with a slash', { set: 'a/b' }, 'bad-option'],
  ])('is not even read with %s', async (_what, options, refusal) => {
    expect(await installation.import('/nowhere/at/all.csv', options)).toMatchObject({
      status: 'refused',
      refusal,
    })
  })
})
