/**
 * Imports real label files, judges every address in them, and compares each report with an oracle that computes the answer from the
 * rules alone. Then it judges unlisted addresses and checks known traps.
 */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress } from '@cupel/domain'
import { expectedJudgements, type FileRow } from '../../src/judgement-oracle.js'
import { readLabelRows } from '../../src/label-oracle.js'
import { mismatchesOf, type Mismatch } from './compare-report.js'
import { judgeExposure } from './exposure-cases.js'
import { judgeAddresses, type Asked, type Clock } from './judge-addresses.js'
import { openLabelInstallation, type LabelInstallation } from './label-installation.js'
import { measureCategories, type CategoryMeasure, type JudgedAddress } from './measures.js'
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
  readonly rows: number
  readonly addresses: number
  readonly rowsPerSecond: number
  readonly mismatchCount: number
  /** The first ones. */
  readonly mismatches: readonly Mismatch[]
  readonly categories: readonly CategoryMeasure[]
  readonly unlisted: {
    readonly addresses: number
    readonly seed: number
    readonly wrong: readonly Mismatch[]
  }
  readonly traps: readonly Trap[]
}

const MAX_MISMATCHES = 100
/** The file that represents an authority’s whole list. */
const SANCTIONS_LIST = 'ofac_sdn.csv'
/** The day after that list’s date, when it was fresh. */
export const AS_OF = '2026-08-21T12:00:00.000Z'

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
  const labels = join(sharedData, 'labels')
  const files = readdirSync(labels)
    .filter((name) => name.endsWith('.csv'))
    .sort()
  const clock = { generatedAt: AS_OF }
  say(`importing ${files.length} label files`)
  const since = performance.now()
  for (const name of files)
    await installation.import({ file: join(labels, name), format: 'csv', whole: name === SANCTIONS_LIST })
  const seconds = (performance.now() - since) / 1_000
  const rows = files.flatMap((file) =>
    readLabelRows(join(labels, file)).map((row): FileRow => ({ ...row, file })),
  )
  const expected = expectedJudgements(rows)
  say(`judging ${expected.length} listed addresses`)
  const reports = await judgeAddresses(installation.database, expected, clock)
  const mismatches = expected.flatMap((want, index): Mismatch[] => {
    const wrong = mismatchesOf(reports[index]!, want)
    return wrong.length === 0 ? [] : [{ address: want.address, chain: want.chain, wrong }]
  })
  const judged = joined(rows, expected, reports)
  say(`judging ${unlisted} unlisted addresses, each with its chain and without`)
  const wrong = await wrongStrangers(installation, randomAddresses(unlisted, seed), clock)
  say('checking exposure on real transfers, and the known traps')
  const traps = [
    ...(await judgeExposure({ installation, rows, sharedData, victims, clock })),
    ...(await springTraps({ installation, judged, rows, sharedData, folder, clock })),
  ]
  return {
    ...{ rows: rows.length, addresses: expected.length, rowsPerSecond: Math.round(rows.length / seconds) },
    ...{ mismatchCount: mismatches.length, mismatches: mismatches.slice(0, MAX_MISMATCHES) },
    categories: measureCategories(judged),
    unlisted: { addresses: unlisted, seed, wrong },
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

/** Whether nothing differs and no trap failed. */
export function isRight({ mismatchCount, unlisted, traps }: JudgementResults): boolean {
  return mismatchCount === 0 && unlisted.wrong.length === 0 && traps.every(({ isPassed }) => isPassed)
}
