/** The results of `cupel audit verify` for people and programs. */
import { meaningOfProblem, placeOfProblem } from '../../proofs/index.js'
import { sinceText, snakeCase, table } from '@cupel/command-line'
import { archiveJson, archiveLines } from '@cupel/command-line/installation'
import { leafProblems, leavesJson, leavesLines } from './compared-leaves.js'
import { erasureJson, erasureLines } from './erasure-text.js'
import { NOTHING } from './expected-log.js'
import { signatureLines } from './signature-text.js'
import type { KeptRun, Verified } from './verified.js'

export function jsonOf(
  { topics, problems, leaves, archive, signatures, erasures, kept, ...rest }: Verified,
  isProven: boolean,
): object {
  return {
    ...snakeCase(rest),
    signatures: { ...snakeCase(signatures), keys: signatures.keys.map((key) => snakeCase(key)) },
    is_proven: isProven,
    transparency: leavesJson(leaves),
    ...(archive === null ? {} : { archive: archiveJson(archive) }),
    kept:
      kept === null
        ? null
        : {
            ...snakeCase(kept),
            since: kept.since === null ? null : snakeCase(kept.since),
            resumed: kept.resumed === null ? null : snakeCase(kept.resumed),
          },
    topics: topics.map((topic) => snakeCase(topic)),
    erasures: erasures.map(erasureJson),
    problems: problems.map((problem) => ({ ...snakeCase(problem), meaning: meaningOfProblem[problem.kind] })),
  }
}

/** A run that goes on from a verified tree proves something if nothing came since. */
export const isEmpty = ({ records, kept }: Pick<Verified, 'records' | 'kept'>): boolean =>
  records === 0 && (kept?.since ?? null) === null

export function textOf(result: Verified): string {
  const { topics, reports, failures, repeatedReports, records, problems, problemCount, archive } = result
  const rows = topics
    .filter((topic) => topic.records > 0)
    .flatMap(({ topic, byType, repeats }) =>
      Object.entries(byType).map(([type, count], index) => [
        index === 0 ? topic : '',
        type,
        number(count),
        index === 0 ? number(repeats) : '',
      ]),
    )
  const lines = [
    `Log ${result.log}: ${number(records)} records.`,
    ...keptLines(result.kept),
    '',
    table([['TOPIC', 'EVENT', 'RECORDS', 'REPEATS'], ...rows]),
    '',
    `${number(reports)} reports, ${number(failures)} failed screenings, ${number(repeatedReports)} decided again and left out.`,
  ]
  for (const problem of problems)
    lines.push(`  ${problem.kind}: ${placeOfProblem(problem)}: ${problem.detail}${sinceText(problem.since)}`)
  const inLog = problemCount - leafProblems(result.leaves) - (archive?.faults.length ?? 0)
  if (inLog > problems.length) lines.push(`  … and ${number(inLog - problems.length)} more`)
  for (const kind of new Set(problems.map((problem) => problem.kind)))
    lines.push(`  ${kind} means: ${meaningOfProblem[kind]}`)
  lines.push(...erasureLines(result.erasures))
  lines.push(...signatureLines(result.signatures, result.macsChecked))
  if (archive !== null) lines.push(...archiveLines(archive))
  lines.push(...leavesLines(result.leaves))
  lines.push(...result.warnings)
  if (problemCount > 0) lines.push(`${number(problemCount)} PROBLEMS were found.`)
  else lines.push(isEmpty(result) ? `The log is empty. ${NOTHING}` : 'No problem was found.')
  return lines.join('\n')
}

function keptLines(kept: KeptRun | null): string[] {
  if (kept === null) return []
  const { since, resumed, comparedAgain } = kept
  const before =
    resumed === null
      ? []
      : [
          `Goes on with a run that began at ${resumed.begunAt} and was cut off: ${number(resumed.records)} records and the leaves before ${number(resumed.leaves)} were verified since then, and not read again. What came since to partitions that were done is left to the next run.`,
        ]
  if (since === null)
    return resumed === null
      ? ['Everything was read: nothing was verified before by the same checks, or --whole asks for it.']
      : before
  return [
    ...before,
    `Verified from leaf ${number(since.leaves)} on. What is before it was verified until ${since.verifiedAt}, all of it by a run that began at ${since.wholeAt}.`,
    ...(comparedAgain === null
      ? []
      : [
          `Of the records before, those of the leaves ${number(comparedAgain.from)} to ${number(comparedAgain.to - 1)} were compared again. The last round through all of them ended at ${since.againAt}.`,
        ]),
    'Not compared: rows of read models, the topic of the latest reports, and event ids with those of earlier records. --whole does that.',
  ]
}

const number = (value: number): string => value.toLocaleString('en-US')
