/** The comparison of a log with the leaves of its transparency log, and its results for people and programs. */
import { placesOf } from '@cupel/event-log'
import type { TopicSpec } from '@cupel/contracts'
import {
  compareTransparency,
  type Acceptance,
  type CompareTransparencyOptions,
  type KeptHead,
  type LeafProblem,
  type LeafProblemKind,
  type PublishedStore,
  type TransparencyComparison,
} from '../../transparency/index.js'
import { snakeCase, sinceText } from '@cupel/command-line'
import { cosignatureJson, cosignatureLine } from '../verify/witnesses.js'

export interface ComparedLeaves {
  readonly folder: string
  /** Null if there is no transparency log. */
  readonly comparison: TransparencyComparison | null
  /** Losses that operators accepted. */
  readonly acceptances: readonly Acceptance[]
}

type Parts = Omit<CompareTransparencyOptions, 'places' | 'maxProblems' | 'store' | 'comparedTrees'> & {
  readonly store: PublishedStore
  readonly topics: readonly TopicSpec[]
  readonly acceptances: readonly Acceptance[]
  /** Called with each head that a later run can go on from. */
  readonly onHead?: (head: KeptHead) => void
  readonly leavesAtOnce?: number
}

/** Problems and faults that are listed; all are counted. */
const MAX_PROBLEMS = 200
/** Leaves whose trees are in memory at once: some 80 MB. */
const LEAVES_AT_ONCE = 1_048_576

/** A long tree is compared in parts, each from the head that the one before it reached. */
export async function compareLeaves({ topics, acceptances, ...parts }: Parts): Promise<ComparedLeaves> {
  const { onHead, leavesAtOnce = LEAVES_AT_ONCE, until = Infinity, ...options } = parts
  const places = await placesOf(options.log, topics)
  const comparedTrees = new Set<string>()
  const compare = (since: KeptHead | null, end: number) =>
    compareTransparency({ ...options, places, maxProblems: MAX_PROBLEMS, comparedTrees, since, until: end })
  let [since, comparison] = [options.since ?? null, null as TransparencyComparison | null]
  for (;;) {
    const end = Math.min(until, (since?.tree.size ?? 0) + leavesAtOnce)
    let part = await compare(since, end)
    // The rest of a tree that is not whole is compared at once.
    if (part !== null && part.reached === null && !part.isEnd && end < until)
      part = await compare(since, until)
    if (part === null) return { folder: options.store.place, comparison: gone(comparison), acceptances }
    comparison = joined(comparison, part)
    // What is behind a problem is compared again by the next run, so that it finds the problem too.
    if (part.head !== null && comparison.problemCount === 0) onHead?.(part.head)
    if (part.isEnd || part.leaves >= until || part.reached === null)
      return { folder: options.store.place, comparison, acceptances }
    since = part.reached
  }
}

/** Rows and files that go away between two parts leave the rest of the leaves uncompared. */
function gone(comparison: TransparencyComparison | null): TransparencyComparison | null {
  if (comparison === null) return null
  const fault = {
    detail: `Rows and files of the transparency log went away after its first ${comparison.leaves} leaves were compared.`,
    since: null,
  }
  const { faults, problemCount } = comparison
  return { ...comparison, faults: [...faults, fault], problemCount: problemCount + 1 }
}

/** The results of two parts, one after the other. */
export function joined(
  one: TransparencyComparison | null,
  next: TransparencyComparison,
): TransparencyComparison {
  if (one === null) return next
  const known = new Set(one.faults.map(({ detail }) => detail))
  const faults = next.faults.filter(({ detail }) => !known.has(detail))
  return {
    ...next,
    records: one.records + next.records,
    head: next.head ?? one.head,
    faults: [...one.faults, ...faults].slice(0, MAX_PROBLEMS),
    problems: [...one.problems, ...next.problems].slice(0, MAX_PROBLEMS),
    problemCount: one.problemCount + next.problemCount - (next.faults.length - faults.length),
  }
}

export const leafProblems = (compared: ComparedLeaves | null): number =>
  compared?.comparison?.problemCount ?? 0

export const leavesCompared = (compared: ComparedLeaves | null): number => compared?.comparison?.leaves ?? 0

/** Null if nothing was compared. */
export function leavesJson(compared: ComparedLeaves | null): unknown {
  if (compared === null || compared.comparison === null) return null
  const { origin, leaves, records, pending, pendingSince, problemCount, faults, problems, cosigned } =
    compared.comparison
  return {
    folder: compared.folder,
    ...snakeCase({ origin, leaves, records, pending, pendingSince, problemCount }),
    faults: faults.map((fault) => ({ ...fault, meaning: TREE_MEANING })),
    cosigned:
      cosigned === null
        ? null
        : { size: cosigned.size, cosignatures: cosigned.cosignatures.map(cosignatureJson) },
    problems: problems.map((problem) => ({ ...snakeCase(problem), meaning: MEANING[problem.kind] })),
    accepted: compared.acceptances.map(({ lost, leaves: of, acceptedAt, acceptedBy, reason }) =>
      snakeCase({ lost, leaves: of, acceptedAt, acceptedBy, reason }),
    ),
  }
}

export function leavesLines(compared: ComparedLeaves | null): string[] {
  if (compared === null)
    return ['Not compared with the transparency log: it is not given, or there are no keys of it.']
  const { folder, comparison, acceptances } = compared
  if (comparison === null) return [`Not compared with the transparency log: there is none in ${folder}.`]
  const { origin, leaves, records, pending, pendingSince, faults, problems, cosigned } = comparison
  return [
    `Compared with ${count(leaves)} leaves of the transparency log ${origin ?? '(of no checkpoint that counts)'}: ${count(records)} records agree.`,
    ...(pending > 0
      ? [`${count(pending)} offsets behind the last leaves have none yet, since ${pendingSince ?? 'now'}.`]
      : []),
    ...(cosigned === null
      ? []
      : [
          `${count(cosigned.size)} of the leaves are in a checkpoint that enough witnesses cosigned.`,
          ...cosigned.cosignatures.map((each) => `  ${cosignatureLine(each)}`),
        ]),
    ...acceptances.flatMap(({ acceptedBy, reason, acceptedAt, lost }) =>
      lost.map(
        ({ topic, partition, from, to }) =>
          `  accepted: ${topic}/${partition} lost ${from} to ${to - 1}; ${acceptedBy} at ${acceptedAt}: ${reason}`,
      ),
    ),
    ...faults.map(({ detail, since }) => `  transparency: ${detail}${sinceText(since)}`),
    ...problems.map(problemLine),
    ...more(comparison),
    ...(faults.length > 0 ? [`  transparency means: ${TREE_MEANING}`] : []),
    ...[...new Set(problems.map(({ kind }) => kind))].map((kind) => `  ${kind} means: ${MEANING[kind]}`),
  ]
}

const SAID: Readonly<Record<LeafProblemKind, string>> = {
  'no-leaf': 'these records have no leaf',
  'no-record': 'these records are missing from the log',
  'other-record':
    'these records are not those that were signed: changed, inserted, removed or in another order',
  'other-time': 'the log gives these records other times than before',
  'other-document': 'the reports or entries of cases, or their rows, do not have the hash of their leaves',
  'leaf-order': 'these records have a second leaf',
}

/** The meaning of a problem for those who rely on the log. */
const MEANING: Readonly<Record<LeafProblemKind, string>> = {
  'no-leaf':
    'They were inserted behind the back of the log, or their leaves were removed: nothing shows that they are old.',
  'no-record':
    'They were removed from the log, and what they said is lost here: a copy or an archive has them.',
  'other-record': 'The log states something else than was signed: do not rely on these records.',
  'other-time':
    'The order or the times are not those that were signed: do not rely on the order and the times of these records.',
  'other-document': 'A proof of these documents does not verify, or proves another document.',
  'leaf-order': 'One record is told twice: the tree was not made by the installation.',
}
const TREE_MEANING = 'A proof or a reader of the tree gets something else than was signed, or nothing.'

function problemLine({ kind, topic, partition, offset, to, index, since }: LeafProblem): string {
  const offsets = to === offset + 1 ? `${offset}` : `${offset} to ${to - 1}`
  const leaf = index === null ? '' : ` (from leaf ${index} on)`
  return `  ${kind}: ${topic}/${partition} at ${offsets}: ${SAID[kind]}${leaf}.${sinceText(since)}`
}

function more({ problemCount, faults, problems }: TransparencyComparison): string[] {
  const told = faults.length + problems.reduce((sum, { offset, to }) => sum + to - offset, 0)
  return problemCount > told ? [`  … and ${count(problemCount - told)} more`] : []
}

const count = (value: number): string => value.toLocaleString('en-US')
