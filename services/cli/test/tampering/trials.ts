/** Tries every kind of tampering in turn, and reports the results. */
import { casesWithin, numbersOf, runSeed, type LongSuite } from '@cupel/testkit'
import { documentKinds } from './document-kinds.js'
import type { Evidence } from './evidence.js'
import { folderKinds } from './folder-kinds.js'
import { logKinds } from './log-kinds.js'
import type { Kind } from './kinds.js'
import { pdfKinds } from './pdf-kinds.js'
import { transparencyKinds } from './transparency-kinds.js'
import { rowKinds } from './row-kinds.js'

export const kinds: readonly Kind[] = [
  ...logKinds,
  ...rowKinds,
  ...transparencyKinds,
  ...folderKinds,
  ...documentKinds,
  ...pdfKinds,
]

export interface Tried {
  readonly kind: Kind
  trials: number
  found: number
  named: number
  /** Not found, for the reason that the list of what is out of reach gives. */
  outOfReach: number
  /** Detail of the first trial that was not found, or not named. */
  missed: string | null
}

/** Runs each kind in turn, as often as its weight says. */
export async function tryTampering(evidence: Evidence, suite: LongSuite): Promise<readonly Tried[]> {
  const seed = runSeed()
  const tried = kinds.map((kind): Tried => ({
    kind,
    trials: 0,
    found: 0,
    named: 0,
    outOfReach: 0,
    missed: null,
  }))
  const unit = kinds.reduce((sum, { weight }) => sum + weight, 0)
  const reasons = new Map<string, number>()
  const begun = process.cpuUsage()
  for (const number of casesWithin(suite, seed)) {
    // The kind farthest behind its share is next; at first each runs once.
    const next = tried.reduce((one, other) =>
      due(other, number / unit) > due(one, number / unit) ? other : one,
    )
    const found = await next.kind.run(evidence, numbersOf(seed + number))
    const { isFound, isNamed, detail, outOfReach = null } = found
    next.trials += 1
    if (!isFound && outOfReach !== null) {
      next.outOfReach += 1
      reasons.set(outOfReach, (reasons.get(outOfReach) ?? 0) + 1)
      continue
    }
    if (isFound) next.found += 1
    if (isFound && isNamed) next.named += 1
    if (!isFound || !isNamed) next.missed ??= `trial ${number}: ${detail}`
  }
  const { user, system } = process.cpuUsage(begun)
  const trials = tried.reduce((sum, each) => sum + each.trials, 0)
  process.stdout.write(
    `${tableOf(tried)}\n${reasonsOf(reasons)}${((user + system) / 1000 / trials).toFixed(1)} ms of CPU a trial\n`,
  )
  return tried
}

const due = ({ kind, trials }: Tried, turns: number): number =>
  trials === 0 ? Infinity : kind.weight * turns - trials

function tableOf(tried: readonly Tried[]): string {
  const rows = tried.map(({ kind: { surface, name, command }, trials, found, named, outOfReach }) =>
    [
      surface.padEnd(16),
      name.padEnd(40),
      command.padEnd(28),
      ...[trials, found, named, outOfReach].map((n) => String(n).padStart(6)),
    ].join(' '),
  )
  const sum = (of: (each: Tried) => number): number => tried.reduce((total, each) => total + of(each), 0)
  return [
    'SURFACE          WHAT WAS DONE                            COMMAND                      TRIALS  FOUND  NAMED  OUT OF REACH',
    ...rows,
    `${sum(({ trials }) => trials)} trials, ${sum(({ found }) => found)} found, ${sum(({ named }) => named)} named by their place, ${sum(({ outOfReach }) => outOfReach)} out of reach`,
  ].join('\n')
}

const reasonsOf = (reasons: ReadonlyMap<string, number>): string =>
  [...reasons].map(([reason, count]) => `${count} out of reach: ${reason}\n`).join('')
