/** The known traps in real lists. Each states what it expected and what it found. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAddress } from '@cupel/domain'
import { listSetLabels, listSets, type Label } from '@cupel/labels/read-model'
import type { FileRow } from '../../src/judgement-oracle.js'
import { parse } from 'csv-parse/sync'
import { judgeAddresses, type Clock } from './judge-addresses.js'
import type { LabelInstallation } from './label-installation.js'
import type { JudgedAddress } from './measures.js'

export interface Trap {
  readonly name: string
  readonly expected: string
  readonly found: string
  readonly isPassed: boolean
}

export interface TrapFacts {
  readonly installation: LabelInstallation
  readonly judged: readonly JudgedAddress[]
  readonly rows: readonly FileRow[]
  readonly sharedData: string
  /** Folder for generated files. */
  readonly folder: string
  readonly clock: Clock
}

export async function springTraps(facts: TrapFacts): Promise<readonly Trap[]> {
  return [
    rareChains(facts),
    await observedIsNotValidFrom(facts),
    forfeiture(facts),
    await oneSourceManyFiles(facts),
    mixerUsers(facts),
    exchanges(facts),
    ...malformed(await readRaw(facts, 'malformed.csv')),
    // Last: it imports an old list.
    await delisted(facts),
  ]
}

export function trap(name: string, expected: object, found: object): Trap {
  const [wanted, given] = [JSON.stringify(expected), JSON.stringify(found)]
  return { name, expected: wanted, found: given, isPassed: wanted === given }
}

const RARE = ['BCH', 'DASH', 'XMR', 'ZEC', 'DOGE', 'BTG', 'BSV', 'BNB', 'XVG', 'XRP']

function rareChains({ judged, rows }: TrapFacts): Trap {
  const listed = new Set(
    rows.filter(({ chain, category }) => RARE.includes(chain) && category === 'sanctions').map(keyOf),
  )
  const red = judged.filter((one) => listed.has(keyOf(one)) && one.report.risk.score === 100)
  return trap(
    'sanctioned addresses on ten rarer chains are red at 100',
    { red: listed.size },
    { red: red.length },
  )
}

const keyOf = ({ address, chain }: { readonly address: string; readonly chain: string }): string =>
  `${chain} ${address}`

/** All rows of the list have one date, the list's own. It must not become the date of a designation. */
async function observedIsNotValidFrom({ installation }: TrapFacts): Promise<Trap> {
  const labels = await labelsOf(installation, 'ofac_sdn', 'ofac_sdn.csv')
  return trap(
    'the date of the list is not the date of a designation',
    { dates: 1, validFrom: 0 },
    {
      dates: new Set(labels.map(({ observedAt }) => observedAt)).size,
      validFrom: labels.filter(({ validFrom }) => validFrom !== null).length,
    },
  )
}

async function labelsOf(
  { database }: LabelInstallation,
  source: string,
  dataset: string,
): Promise<readonly Label[]> {
  const labels: Label[] = []
  for await (const page of listSetLabels(database, { source, dataset })) labels.push(...page)
  return labels
}

/** A court's record: red by its 75 points, without the fixed floor. */
function forfeiture({ judged, rows }: TrapFacts): Trap {
  const listed = rows.filter(({ sourceUrl }) => sourceUrl.includes('aft-alqaeda'))
  const keys = new Set(listed.map(keyOf))
  const right = judged.filter(
    ({ report: { risk }, ...one }) =>
      keys.has(keyOf(one)) &&
      risk.level === 'red' &&
      risk.categories.sanctions === 75 &&
      risk.evidence.every(({ category, origin }) => category !== 'sanctions' || origin === 'us-doj'),
  )
  return trap(
    'the forfeiture of 2020 is a court’s, not the sanctions list’s',
    { rows: 146, right: keys.size },
    { rows: listed.length, right: right.length },
  )
}

/** Importing one of the files that share a source name retires nothing of the others. */
async function oneSourceManyFiles({ installation, rows }: TrapFacts): Promise<Trap> {
  const files = [...new Set(rows.map(({ file }) => file))].filter((file) => file.startsWith('graphsense_'))
  const sets = (await listSets(installation.database)).filter(
    ({ source }) => source === 'graphsense_tagpacks',
  )
  const distinct = (file: string): number =>
    new Set(
      rows
        .filter((row) => row.file === file)
        .map((row) => JSON.stringify([keyOf(row), row.category, row.entity])),
    ).size
  return trap(
    'files that share a source name are sets of their own',
    { sets: files.length, labels: files.reduce((sum, file) => sum + distinct(file), 0) },
    { sets: sets.length, labels: sets.reduce((sum, { total }) => sum + total, 0) },
  )
}

/** Users of a mixer without any other label: 0.6 × 0.7 × 0.85. */
function mixerUsers({ judged, rows }: TrapFacts): Trap {
  const users = rows.filter(({ sourceUrl }) => sourceUrl.includes('samourai'))
  const only = judged.filter(({ owned }) => owned.every(({ sourceUrl }) => sourceUrl.includes('samourai')))
  const levels = new Set(
    only
      .filter(({ owned }) => owned.length > 0)
      .map(({ report }) => `${report.risk.level} ${report.risk.score}`),
  )
  return trap(
    'users of a mixer are not its owners',
    { rows: 4_503, levels: ['orange 35.7'] },
    { rows: users.length, levels: [...levels] },
  )
}

function exchanges({ judged }: TrapFacts): Trap {
  const clean = judged.filter(
    ({ owned }) => owned.length > 0 && owned.every(({ category }) => category === 'clean_exchange'),
  )
  const wrong = clean.filter(
    ({ report: { risk } }) =>
      risk.score !== 0 || !['green', 'grey'].includes(risk.level) || risk.conflicts.length > 0,
  )
  return trap('an exchange without any other label has no risk points', { wrong: 0 }, { wrong: wrong.length })
}

/** Maps the reasons of the file to the product's. Prose is rejected for its white space before its form is read. */
const reasonWords: Readonly<Record<string, readonly string[]>> = {
  bad_format: ['bad_format', 'white_space', 'wrong_chain'],
  // A Monero address in lower case contains a letter outside the alphabet.
  bad_checksum: ['bad_checksum', 'bad_format'],
  eip55_mismatch: ['eip55_mismatch'],
  empty_address: ['empty_address'],
  wrong_chain: ['wrong_chain'],
  ticker_is_not_a_chain: ['unknown_chain'],
  same_address_many_tickers: ['accepted'],
}

/** Invalid addresses are rejected with their reason. A valid one with a wrong claim is accepted without the claim. */
function malformed(rows: readonly Readonly<Record<string, string>>[]): readonly Trap[] {
  const wrong = rows.filter(({ raw_address: address, claimed_chain: chain, reason }) => {
    const parsed = parseAddress(address!, chain)
    return !reasonWords[reason!]?.includes(parsed.ok ? 'accepted' : parsed.reason)
  })
  const claims = new Set(
    rows
      .filter(({ raw_address: address }) => parseAddress(address!).ok)
      .map(({ raw_address: address }) => address),
  )
  return [
    trap(
      'malformed addresses are refused for their reason',
      { rows: 52, wrong: 0 },
      { rows: rows.length, wrong: wrong.length },
    ),
    trap('three of them are valid addresses with a wrong claim', { valid: 3 }, { valid: claims.size }),
  ]
}

/**
 * Imports a list of 2024 after that of 2026, under both names that it may have. It has the addresses delisted since, and those that both
 * lists name: without these it would be another list of the authority.
 */
async function delisted({ installation, rows: known, sharedData, folder, clock }: TrapFacts): Promise<Trap> {
  const rows = await readRaw({ sharedData }, join('ofac', 'delisted_addresses.csv'))
  const both = known.filter(({ file }) => file === 'ofac_sdn.csv')
  const header = 'address,chain,category,entity,source,source_url,confidence,observed_at'
  const file = join(folder, 'ofac_sdn_2024.csv')
  const lines = [...rows, ...both].map(
    ({ address, chain }) => `${address},${chain},sanctions,Delisted,ofac_sdn,,0.99,2024-09-27`,
  )
  await writeFile(file, [header, ...lines, ''].join('\n'))
  await installation.import({ file, format: 'csv', whole: true, set: 'ofac_sdn.csv' })
  await installation.import({ file, format: 'csv', whole: true })
  const reports = await judgeAddresses(
    installation.database,
    rows.map(({ address, chain }) => ({ address: address!, chain: chain! })),
    clock,
  )
  const again = reports.filter(({ risk }) => risk.categories.sanctions > 0)
  const shown = reports.filter(({ risk }) =>
    risk.evidence.some(
      ({ category, status, used }) => category === 'sanctions' && status === 'ended' && !used,
    ),
  )
  return trap(
    'an old sanctions list imported after a new one designates nobody again',
    { addresses: 87, sanctioned: 0, shownAsEnded: 87 },
    { addresses: rows.length, sanctioned: again.length, shownAsEnded: shown.length },
  )
}

async function readRaw(
  { sharedData }: Pick<TrapFacts, 'sharedData'>,
  path: string,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const text = await readFile(join(sharedData, 'raw', path), 'utf8')
  return parse(text, { columns: true, skip_empty_lines: true }) as Record<string, string>[]
}
