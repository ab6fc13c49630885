/**
 * Measures the judgement on real lists: imports every label file, judges every address in them, and compares each report with an
 * oracle that computes the answer from the rules alone. Then it judges unlisted addresses and checks known traps.
 */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectedJudgements, readLabelRows, type FileRow } from '@cupel/system-tests'
import { compiledDefaultPolicy, CURRENT_SCORER_VERSION, parseAddress } from '@cupel/domain'
import { mismatchesOf, type Mismatch } from './compare-report.js'
import { judgeExposure } from './exposure-cases.js'
import { judgeAddresses, type Asked, type Clock, type JudgeTimings } from './judge-addresses.js'
import { openLabelInstallation, type LabelInstallation } from './label-installation.js'
import {
  measureCategories,
  measureLists,
  measureReasons,
  measureSources,
  measureSubcategories,
  type CategoryMeasure,
  type JudgedAddress,
  type ListMeasure,
  type ReasonMeasure,
  type SourceMeasure,
  type SubcategoryMeasure,
} from './measures.js'
import { randomAddresses } from './random-addresses.js'
import { springTraps, type Trap } from './traps.js'

export interface JudgementOptions {
  /** An empty database. */
  readonly connectionString: string
  /** Folder with `labels` and `raw`. */
  readonly sharedData: string
  readonly unlisted: number
  readonly seed: number
  /** Victims of address poisoning that are judged on the ledger. */
  readonly victims: number
  readonly say: (line: string) => void
}

export interface JudgementResults {
  readonly date: string
  readonly scorerVersion: string
  readonly policy: string
  readonly rows: number
  readonly addresses: number
  readonly importMs: number
  readonly rowsPerSecond: number
  /** Milliseconds to look up a batch of 500 addresses: median and 95th percentile. */
  readonly lookUpMs: { readonly p50: number; readonly p95: number }
  readonly mismatchCount: number
  /** The first ones. */
  readonly mismatches: readonly Mismatch[]
  readonly categories: readonly CategoryMeasure[]
  readonly sources: readonly SourceMeasure[]
  readonly subcategories: readonly SubcategoryMeasure[]
  /** When the lists were fresh; the clock of every report but those of `aged`. */
  readonly generatedAt: string
  readonly reasons: readonly ReasonMeasure[]
  /** Levels and reasons of the clean addresses with the sanctions list at its age today. */
  readonly aged: readonly ReasonMeasure[]
  readonly lists: readonly ListMeasure[]
  readonly unlisted: {
    readonly addresses: number
    readonly seed: number
    readonly wrong: readonly Mismatch[]
  }
  readonly coverage: Readonly<Record<string, number>>
  readonly traps: readonly Trap[]
}

const MAX_MISMATCHES = 100
/** The file that represents an authority’s whole list. */
const SANCTIONS_LIST = 'ofac_sdn.csv'
/** The day after that list’s date, when it was fresh. */
const AS_OF = '2026-08-21T12:00:00.000Z'

export async function runJudgement(options: JudgementOptions): Promise<JudgementResults> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-judgement-'))
  const installation = await openLabelInstallation(options.connectionString)
  try {
    return await measure(installation, folder, options)
  } finally {
    await installation.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  installation: LabelInstallation,
  folder: string,
  { sharedData, unlisted, seed, victims, say }: JudgementOptions,
): Promise<JudgementResults> {
  const files = readdirSync(join(sharedData, 'labels'))
    .filter((name) => name.endsWith('.csv'))
    .sort()
  const clock = { generatedAt: AS_OF }
  say(`importing ${files.length} label files`)
  const importedSince = performance.now()
  for (const name of files)
    await installation.import({
      file: join(sharedData, 'labels', name),
      format: 'csv',
      whole: name === SANCTIONS_LIST,
    })
  const importMs = Math.round(performance.now() - importedSince)
  const rows = files.flatMap((file) =>
    readLabelRows(join(sharedData, 'labels', file)).map((row): FileRow => ({ ...row, file })),
  )

  const expected = expectedJudgements(rows)
  say(`judging ${expected.length} listed addresses`)
  const timings: JudgeTimings = { lookUpMs: [], decideMs: 0 }
  const reports = await judgeAddresses(installation.database, expected, clock, timings)
  const mismatches = expected.flatMap((want, index): Mismatch[] => {
    const wrong = mismatchesOf(reports[index]!, want)
    return wrong.length === 0 ? [] : [{ address: want.address, chain: want.chain, wrong }]
  })
  const listed = joined(rows, expected, reports)

  say(`judging ${unlisted} unlisted addresses, each with its chain and without`)
  const strangers = randomAddresses(unlisted, seed)
  const wrong = await wrongStrangers(installation, strangers, clock)
  const judged = [...listed]
  const clean = listed.filter(({ report }) => report.risk.level === 'green')
  const today = { generatedAt: new Date().toISOString() }
  const aged = measureReasons(await judgeAddresses(installation.database, clean, today))
  say('checking the known traps')
  say('judging exposure on real transfers')
  const exposure = await judgeExposure({ installation, rows, sharedData, victims, clock })
  const traps = [
    ...exposure,
    ...(await springTraps({ installation, judged, rows, sharedData, folder, clock })),
  ]
  return {
    date: new Date().toISOString().slice(0, 10),
    scorerVersion: CURRENT_SCORER_VERSION,
    policy: `${compiledDefaultPolicy.document.id} ${compiledDefaultPolicy.document.version}`,
    rows: rows.length,
    addresses: expected.length,
    importMs,
    rowsPerSecond: Math.round(rows.length / (importMs / 1_000)),
    lookUpMs: { p50: quantile(timings.lookUpMs, 0.5), p95: quantile(timings.lookUpMs, 0.95) },
    mismatchCount: mismatches.length,
    mismatches: mismatches.slice(0, MAX_MISMATCHES),
    categories: measureCategories(judged),
    sources: measureSources(judged),
    subcategories: measureSubcategories(judged),
    generatedAt: AS_OF,
    reasons: measureReasons(reports),
    aged,
    lists: measureLists(reports[0]!),
    unlisted: { addresses: unlisted, seed, wrong },
    coverage: coverageOf(listed),
    traps,
  }
}

function joined(
  rows: readonly FileRow[],
  asked: readonly { readonly address: string; readonly chain: string }[],
  reports: readonly JudgedAddress['report'][],
): readonly JudgedAddress[] {
  const byKey = grouped(rows, ({ address, chain }) => `${chain} ${address}`)
  const byOwner = grouped(rows, lookupKeyOf)
  return asked.map(({ address, chain }, index) => ({
    address,
    chain,
    report: reports[index]!,
    rows: byKey.get(`${chain} ${address}`) ?? [],
    owned: byOwner.get(lookupKeyOf({ address, chain })) ?? [],
  }))
}

function lookupKeyOf({ address, chain }: { readonly address: string; readonly chain: string }): string {
  const parsed = parseAddress(address, chain)
  return parsed.ok ? parsed.lookupKey : address
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** An unlisted address is grey, without points and evidence, whether the chain is named or detected. */
async function wrongStrangers(
  { database }: LabelInstallation,
  strangers: readonly Asked[],
  clock: Clock,
): Promise<readonly Mismatch[]> {
  const detected = strangers.map(({ address }) => ({ address, chain: null }))
  const asked = [...strangers, ...detected]
  const reports = await judgeAddresses(database, asked, clock)
  return asked.flatMap(({ address, chain }, index): Mismatch[] => {
    const { risk } = reports[index]!
    const points = Object.values(risk.categories).reduce((sum, one) => sum + one, 0)
    const isRight =
      risk.level === 'grey' &&
      risk.score === 0 &&
      points === 0 &&
      risk.evidence.length === 0 &&
      !risk.score_is_lower_bound
    const wrong = [`${risk.level} ${risk.score}, ${risk.evidence.length} items of evidence`]
    return isRight ? [] : [{ address, chain: chain ?? 'detected', wrong }]
  })
}

/** Counts reports by their coverage. */
function coverageOf(judged: readonly JudgedAddress[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { report } of judged) {
    const { labels, chain_data: chainData, exposure } = report.coverage
    const words = `labels ${labels.status}, chain data ${chainData.status}, exposure ${exposure.status}`
    counts[words] = (counts[words] ?? 0) + 1
  }
  return counts
}

/** Milliseconds with two decimals. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 100) / 100
}

/** Whether nothing differs and no trap failed. */
export function isRight({ mismatchCount, unlisted, traps }: JudgementResults): boolean {
  return mismatchCount === 0 && unlisted.wrong.length === 0 && traps.every(({ isPassed }) => isPassed)
}
