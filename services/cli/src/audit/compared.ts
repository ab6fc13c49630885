/** The result of the comparison of a log with its checkpoints, for people and programs. */
import type { LogComparison } from '@cupel/checkpoints'

export interface Compared {
  readonly folder: string
  readonly comparison: LogComparison
}

/** Differences that are listed; all are counted. */
const MAX_DIFFERENCES = 200

export const differencesOf = ({ partitions }: LogComparison) =>
  partitions.flatMap(({ place, differences }) =>
    differences.map((difference) => ({ ...place, ...difference })),
  )

/** The number of faults in the log and in the files. */
export function comparedProblems(compared: Compared | null): number {
  if (compared === null) return 0
  return compared.comparison.faults.length + differencesOf(compared.comparison).length
}

/** Null if the log was not compared with checkpoints. */
export function comparedJson(compared: Compared | null): unknown {
  if (compared === null || isUncompared(compared)) return null
  const { folder, comparison } = compared
  return {
    folder,
    last_number: comparison.last?.statement.number ?? 0,
    last_time: comparison.last?.statement.time ?? null,
    records: recordsOf(comparison),
    faults: comparison.faults,
    differences: differencesOf(comparison)
      .slice(0, MAX_DIFFERENCES)
      .map(({ number, ...difference }) => ({ ...difference, checkpoint: number })),
    accepted: comparison.accepted,
  }
}

export function comparedLines(compared: Compared | null): string[] {
  if (compared === null) return ['Not compared with checkpoints: there are no keys of checkpoints.']
  const { folder, comparison } = compared
  if (isUncompared(compared)) return [`Not compared with checkpoints: there are none in ${folder}.`]
  const { last, faults, accepted } = comparison
  const differences = differencesOf(comparison)
  return [
    ...(last === null
      ? []
      : [
          `Compared with ${count(last.statement.number)} checkpoints in ${folder}, the last of ${last.statement.time}.`,
        ]),
    ...accepted.flatMap(({ by, reason, time, lost }) =>
      lost.map(
        ({ topic, partition, from, to }) =>
          `  accepted: ${topic}/${partition} lost ${from} to ${to - 1}; ${by} at ${time}: ${reason}`,
      ),
    ),
    ...faults.map((fault) => `  checkpoints: ${fault}`),
    ...differences.slice(0, MAX_DIFFERENCES).map(({ topic, partition, from, to, kind, number }) => {
      const what =
        kind === 'missing'
          ? 'are missing from the log'
          : 'are not those that were signed: changed, inserted, removed or in another order'
      return `  ${kind}: ${topic}/${partition} at ${from} to ${to - 1}: these records ${what} (checkpoint ${number}).`
    }),
    ...(differences.length > MAX_DIFFERENCES
      ? [`  … and ${count(differences.length - MAX_DIFFERENCES)} more`]
      : []),
  ]
}

function isUncompared({ comparison: { last, faults } }: Compared): boolean {
  return last === null && faults.length === 0
}

/** Records that agree with a signature, each partition from its first one on. */
function recordsOf({ partitions }: LogComparison): number {
  return partitions.reduce((sum, { state }) => sum + (state?.tree.size ?? 0), 0)
}

const count = (value: number): string => value.toLocaleString('en-US')
