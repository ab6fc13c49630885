/** Tries every kind of tampering in turn, and reports the results. */
import { casesWithin, numbersOf, runSeed, type LongSuite } from '@cupel/testkit'
import { archiveKinds } from './archive-kinds.js'
import { documentKinds } from './document-kinds.js'
import type { Evidence } from './evidence.js'
import { logKinds } from './log-kinds.js'
import type { Kind } from './kinds.js'
import { pdfKinds } from './pdf-kinds.js'
import { transparencyKinds } from './transparency-kinds.js'
import { viewKinds } from './view-kinds.js'

export const kinds: readonly Kind[] = [
  ...logKinds,
  ...viewKinds,
  ...transparencyKinds,
  ...archiveKinds,
  ...documentKinds,
  ...pdfKinds,
]

export interface Tried {
  readonly kind: Kind
  trials: number
  found: number
  named: number
  /** Detail of the first trial that was not found, or not named. */
  missed: string | null
}

/** Runs each kind in turn, as often as its weight says. */
export async function tryTampering(evidence: Evidence, suite: LongSuite): Promise<readonly Tried[]> {
  const seed = runSeed()
  const tried = kinds.map((kind): Tried => ({ kind, trials: 0, found: 0, named: 0, missed: null }))
  const unit = kinds.reduce((sum, { weight }) => sum + weight, 0)
  const begun = process.cpuUsage()
  for (const number of casesWithin(suite, seed)) {
    // The kind farthest behind its share is next; at first each runs once.
    const next = tried.reduce((one, other) =>
      due(other, number / unit) > due(one, number / unit) ? other : one,
    )
    const { isFound, isNamed, detail } = await next.kind.run(evidence, numbersOf(seed + number))
    next.trials += 1
    if (isFound) next.found += 1
    if (isFound && isNamed) next.named += 1
    if (!isFound || !isNamed) next.missed ??= `trial ${number}: ${detail}`
  }
  const { user, system } = process.cpuUsage(begun)
  const trials = tried.reduce((sum, each) => sum + each.trials, 0)
  process.stdout.write(
    `${tableOf(tried)}\n${((user + system) / 1000 / trials).toFixed(1)} ms of CPU a trial\n`,
  )
  return tried
}

const due = ({ kind, trials }: Tried, turns: number): number =>
  trials === 0 ? Infinity : kind.weight * turns - trials

function tableOf(tried: readonly Tried[]): string {
  const rows = tried.map(({ kind: { surface, name, command }, trials, found, named }) =>
    [
      surface.padEnd(16),
      name.padEnd(40),
      command.padEnd(28),
      ...[trials, found, named].map((n) => String(n).padStart(6)),
    ].join(' '),
  )
  const sum = (of: (each: Tried) => number): number => tried.reduce((total, each) => total + of(each), 0)
  return [
    'SURFACE          WHAT WAS DONE                            COMMAND                      TRIALS  FOUND  NAMED',
    ...rows,
    `${sum(({ trials }) => trials)} trials, ${sum(({ found }) => found)} found, ${sum(({ named }) => named)} named by their place`,
  ].join('\n')
}
