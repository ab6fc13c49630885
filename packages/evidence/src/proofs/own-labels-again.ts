/**
 * The own labels of an account that a report must have, and those that it may have. They have no number as the states of lists do: a label
 * that was stated or removed within a minute of the decision may have been there or not, by clocks of two machines.
 */
import type { CandidateRecord, ConsideredLabel, ReportGenerated } from '@cupel/contracts'
import { OWN_KIND, parseAddress, type LabelFacts } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import {
  inForceAt,
  readOwnLabels,
  type DecidedOwnLabel,
  type OwnLabelQuestion,
} from '@cupel/labels/read-model'

type OnChain = Pick<CandidateRecord, 'chain' | 'canonicalAddress' | 'labels'>

/** What a report has of them on a chain, read again: in the order of the record. */
export type OwnLabelsAgain = (data: ReportGenerated, on: OnChain) => readonly LabelFacts[]

const MARGIN_MS = 60_000

export async function readOwnLabelsAgain(
  reports: readonly { readonly data: ReportGenerated }[],
  database: Database,
): Promise<OwnLabelsAgain> {
  const questions = reports.flatMap(({ data }) =>
    [data, ...data.inputs.candidates].flatMap((on) => questionOf(data, on) ?? []),
  )
  const labelsOf = await readOwnLabels(database, questions)
  return (data, on) => {
    const question = questionOf(data, on)
    return question === null ? [] : labelsAgain(labelsOf(question), data.generatedAt, on.labels)
  }
}

function questionOf(
  { accountId, livemode }: ReportGenerated,
  { chain, canonicalAddress }: Pick<OnChain, 'chain' | 'canonicalAddress'>,
): OwnLabelQuestion | null {
  const parsed = parseAddress(canonicalAddress, chain)
  return parsed.ok ? { accountId, livemode, lookupKey: parsed.lookupKey } : null
}

function labelsAgain(
  known: readonly DecidedOwnLabel[],
  generatedAt: string,
  labels: readonly ConsideredLabel[],
): readonly LabelFacts[] {
  const [before, after] = [-MARGIN_MS, MARGIN_MS].map((ms) =>
    new Date(Date.parse(generatedAt) + ms).toISOString(),
  )
  const recorded = labels.filter(({ kind }) => kind === OWN_KIND).map(({ labelId }) => labelId)
  const surely = new Set(inForceAt(known, before!).filter((one) => inForceAt(known, after!).includes(one)))
  const possible = known.filter(
    ({ facts, removedAt }) => facts.knownFrom <= after! && (removedAt === null || removedAt >= before!),
  )
  return possible
    .map(({ facts }) => facts)
    .filter((facts) => surely.has(facts) || recorded.includes(facts.labelId))
}
