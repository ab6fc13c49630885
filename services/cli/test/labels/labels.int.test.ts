import { labelView } from '@cupel/labels/read-model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'
import { openCommandLine, type CommandLine } from '../command-line.js'

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const RONIN = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const address = `0x${(index + 1).toString(16).padStart(40, '0')}`
    return `${address},ETH,scam,Somebody,my_list,https://example.org/list,0.8,2026-01-01`
  })

let commandLine: CommandLine
let cupel: CommandLine['cupel']

/** A running installation: its projector follows the label topic. */
beforeAll(async () => {
  commandLine = await openCommandLine()
  cupel = commandLine.cupel
  commandLine.run(labelView)
})
afterAll(() => commandLine.close())

const file = (name: string, lines: readonly string[]): Promise<string> =>
  commandLine.file(name, [HEADER, ...lines, ''].join('\n'))

describe('cupel labels import', () => {
  test('answers people with a table and programs with the same figures', async () => {
    const path = await file('mine.csv', [...rows(3), `nonsense,ETH,scam,,my_list,,0.5,2026-01-01`])
    const { out, error } = await cupel('labels', 'import', path, '--format', 'csv')
    expect(error).toBeNull()
    expect(out).toMatch(/my_list +mine\.csv +2026-01-01 +3 +0 +0 +0 +3/)
    expect(out).toMatch(/1 row was refused:\n {2}line 5: bad format: "nonsense" \(ETH\)/)

    const again = await cupel('labels', 'import', path, '--format', 'csv', '--json')
    expect(JSON.parse(again.out)).toMatchObject({
      status: 'imported',
      rows: 4,
      added: 0,
      unchanged: 3,
      retired: 0,
      refused_count: 1,
      refused: [{ line: 5 }],
      visible: true,
      sets: [{ source: 'my_list', dataset: 'mine.csv', as_of: '2026-01-01T00:00:00.000Z', total: 3 }],
    })
  })

  test('refuses a large removal with the number to accept, and takes it with that number and a reason', async () => {
    const named = ['--set', 'removed', '--format', 'csv']
    await cupel('labels', 'import', await file('long.csv', rows(30)), ...named)
    const short = await file('short.csv', rows(10))
    const refused = await cupel('labels', 'import', short, ...named, '--json')
    expect(JSON.parse(refused.out)).toMatchObject({
      status: 'refused',
      refusal: 'too-many-removals',
      removals: 20,
    })
    expect(refused.error).toBeInstanceOf(CommandError)
    expect(refused.error).toMatchObject({ exitCode: EXIT_FAILED })
    expect((refused.error as CommandError).message).toContain('--accept-removals 20 --reason')
    const accepted = await cupel(
      ...['labels', 'import', short, ...named, '--accept-removals', '20', '--reason', 'delisted', '--json'],
    )
    expect(JSON.parse(accepted.out)).toMatchObject({ status: 'imported', retired: 20 })
  })

  test('says of a file without a usable row which entries were skipped and why', async () => {
    const pack = await commandLine.file(
      'pack.yaml',
      'currency: BTC\ntags:\n- address: 1abc\n  abuse: spilled_milk\n- address: 1def\n  category: miner\n- address: ""\n  abuse: scam\n',
    )
    const said = await cupel('labels', 'import', pack, '--format', 'tagpack', '--json')
    expect((said.error as CommandError).message).toBe(
      'Nothing was imported. None of the 3 rows can be used: ' +
        '1 row: the tag has no address; 2 rows: no known category in "…".',
    )
    expect(JSON.parse(said.out)).toMatchObject({
      status: 'refused',
      refusal: 'no-usable-row',
      refused_count: 1,
      refused: [{ line: 7, reason: 'the tag has no address' }],
      skipped_count: 2,
      skipped_reasons: [{ reason: 'no known category in "…"', count: 2 }],
      skipped: [
        { line: 3, reason: 'no known category in "spilled_milk"' },
        { line: 5, reason: 'no known category in "miner"' },
      ],
    })
    const { notes } = await cupel('labels', 'import', pack, '--format', 'tagpack')
    expect(notes).toContain('line 7: the tag has no address')
    expect(notes).toContain('line 5: no known category in "miner"')
  })

  test.each([
    ['a file that is not there', ['/nowhere/list.csv', '--format', 'csv'], EXIT_NOT_FOUND],
    ['accepted removals without a reason', ['FILE', '--format', 'csv', '--accept-removals', '9'], EXIT_USAGE],
    ['explorer tags without a category', ['FILE', '--format', 'explorer-json'], EXIT_USAGE],
    ['a file of another layout', ['FILE', '--format', 'ofac-xml'], EXIT_FAILED],
  ])('says what is wrong with %s in a sentence and an exit code', async (_what, args, exitCode) => {
    const path = await file('some.csv', rows(1))
    const said = await cupel('labels', 'import', ...args.map((arg) => (arg === 'FILE' ? path : arg)))
    expect(said.error).toBeInstanceOf(CommandError)
    expect(said.error).toMatchObject({ exitCode })
    expect((said.error as CommandError).message).toMatch(/^[A-Z/].*[.]$/s)
  })
})

describe('cupel labels sources', () => {
  const designated = (count: number): string[] =>
    rows(count).map((text) => text.replace('scam', 'sanctions').replace('my_list', 'ofac_sdn'))
  const sources = async () => {
    const { has_sanctions_list, items } = JSON.parse((await cupel('labels', 'sources', '--json')).out) as {
      has_sanctions_list: boolean
      items: Record<string, unknown>[]
    }
    return { has_sanctions_list, of: (dataset: string) => items.find((one) => one['dataset'] === dataset) }
  }

  test('says how to import the real list where no whole one is in force', async () => {
    await cupel('labels', 'import', await file('part.csv', designated(2)), '--format', 'csv')
    const { has_sanctions_list, of } = await sources()
    expect(has_sanctions_list).toBe(false)
    expect(of('part.csv')).toMatchObject({
      ...{ total: 2, visible: 2, whole: false, authority_origin: 'us-ofac' },
    })
    const { out } = await cupel('labels', 'sources')
    expect(out).toMatch(/ofac_sdn +part\.csv +us-ofac, part +2026-01-01/)
    expect(out).toMatch(
      /No whole sanctions list that the policy requires is in force.*labels refresh --plan .*refresh-ofac\.json/s,
    )
  })

  test('shows whole lists, their age and status, and that several sets designate together', async () => {
    const today = new Date().toISOString()
    const path = await file('whole.csv', designated(2))
    await cupel('labels', 'import', path, '--format', 'csv', '--whole', '--as-of', today)
    expect(await sources()).toMatchObject({ has_sanctions_list: true })
    expect((await sources()).of('whole.csv')).toMatchObject({ status: 'current', whole: true, age_hours: 0 })
    const { out } = await cupel('labels', 'sources')
    expect(out).toMatch(/current +ofac_sdn +whole\.csv +us-ofac, whole +\d{4}-\d\d-\d\d +0 h +- +2 +2 /)
    expect(out).toContain(
      'us-ofac has 2 sets in force, which designate together: ofac_sdn/part.csv, ofac_sdn/whole.csv.',
    )
    expect(out).not.toContain('No whole sanctions list')

    const replaced = ['--replaces', 'part.csv', '--whole', '--as-of', '2019-01-01']
    await cupel(
      'labels',
      'import',
      path,
      '--format',
      'csv',
      '--set',
      'old.csv',
      '--whole',
      '--as-of',
      today,
      '--replaces',
      'part.csv',
    )
    expect((await sources()).of('part.csv')).toMatchObject({ status: 'withdrawn', total: 0 })
    expect((await cupel('labels', 'sources')).out).toContain(
      'ofac_sdn/part.csv was replaced by ofac_sdn/old.csv.',
    )
    // An old list does not replace a later one.
    const older = await cupel(
      'labels',
      'import',
      path,
      '--format',
      'csv',
      '--set',
      'older',
      ...replaced.slice(2),
    )
    expect(older.out).toContain('history only')
  })

  test('calls a list too old only if it must be fresh', async () => {
    const own = `0x${'7'.repeat(40)},ETH,scam,Somebody,our_analysts,https://example.org,0.9,2019-01-01`
    await cupel('labels', 'import', await file('own.csv', [own]), '--format', 'csv')
    const british = `0x${'7'.repeat(40)},ETH,sanctions,Somebody,uk_ofsi,https://example.org,0.9,2019-01-01`
    const options = ['--format', 'csv', '--whole', '--as-of', '2019-01-01']
    await cupel('labels', 'import', await file('british.csv', [british]), ...options)
    const { of } = await sources()
    expect(of('own.csv')).toMatchObject({ status: 'current', is_required: false })
    expect(of('british.csv')).toMatchObject({ status: 'old', is_required: true })
    const { out } = await cupel('labels', 'sources')
    expect(out).toContain('uk_ofsi/british.csv is too old')
    expect(out).not.toContain('our_analysts/own.csv is too old')
    const withdrawn = ['--source', 'uk_ofsi', '--accept-removals', '1', '--reason', 'the end of the test']
    await cupel('labels', 'import', await file('british.csv', []), '--format', 'csv', ...withdrawn)
  })

  test('shows which addresses lose their designation before they do', async () => {
    const named = [
      '--format',
      'csv',
      '--set',
      'long',
      '--source',
      'un_sc',
      '--whole',
      '--as-of',
      '2026-11-20',
    ]
    await cupel('labels', 'import', await file('long.csv', designated(40)), ...named)
    const short = await file('short.csv', designated(10))
    const refused = await cupel('labels', 'import', short, ...named, '--json')
    expect(JSON.parse(refused.out)).toMatchObject({ removals: 30, lost: { length: 30 } })
    const accepted = await cupel(
      'labels',
      'import',
      short,
      ...named,
      '--accept-removals',
      '30',
      '--reason',
      'delisted',
    )
    expect(accepted.out).toMatch(/30 addresses lost a designation:\n +ETH +0x0+b +un-sc: Somebody/)
    expect(accepted.out).toContain('… and 10 more')
  })
})

test('cupel labels show answers for what held and for what was known, each at its own time', async () => {
  const listed = `${RONIN},ETH,sanctions,Lazarus,uk_ofsi,https://example.org,0.9,2026-01-01`
  await cupel('labels', 'import', await file('dated.csv', [listed]), '--format', 'csv')
  const known = new Date().toISOString()
  await cupel(
    'labels',
    'import',
    await file('dated.csv', rows(1)),
    '--format',
    'csv',
    '--source',
    'uk_ofsi',
    '--as-of',
    '2026-06-01',
    '--accept-removals',
    '1',
    '--reason',
    'delisted',
  )

  const show = async (...args: string[]): Promise<Record<string, unknown>[]> => {
    const { items } = JSON.parse((await cupel('labels', 'show', RONIN, ...args, '--json')).out) as {
      items: Record<string, unknown>[]
    }
    return items
  }
  expect(await show()).toMatchObject([
    {
      source: 'uk_ofsi',
      category: 'sanctions',
      confidence: 0.9,
      listed: false,
      valid_to: '2026-06-01T00:00:00.000Z',
    },
  ])
  expect(await show('--valid-at', '2026-05-31')).toHaveLength(1)
  expect(await show('--valid-at', '2026-06-01')).toEqual([])
  // Before the second import this end was not known here.
  expect(await show('--known-at', known)).toMatchObject([{ listed: true, valid_to: null }])
  expect(await show('--valid-at', '2026-06-01', '--known-at', known)).toHaveLength(1)
  expect(await show('--known-at', '2020-01-01')).toEqual([])
  expect((await cupel('labels', 'show', `${RONIN.slice(0, -1)}5`)).error).toMatchObject({
    exitCode: EXIT_USAGE,
  })
})
