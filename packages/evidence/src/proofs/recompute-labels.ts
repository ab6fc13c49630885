/** Level B: reads the labels, lists and policy of a report again from the read models, as of the recorded state. */
import type { CandidateRecord, ConsideredLabel, ReportGenerated } from '@cupel/contracts'
import {
  parseAddress,
  sandboxLabels,
  type LabelFacts,
  type LabelSetFacts,
  type SharedInputs,
} from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { labelFacts, newestPublication, readLabelsAsOf, setFacts } from '@cupel/labels/read-model'
import { readOwnLabelsAgain, type OwnLabelsAgain } from './own-labels-again.js'
import { compared, failed, type Verdict } from './verdict.js'

export interface ReportWithShared {
  readonly data: ReportGenerated
  readonly shared: SharedInputs
}

/** Number of reports whose labels one statement reads. */
const LABEL_BATCH = 500

/** One verdict for each report, in order. */
export async function readLabelsAgain(
  reports: readonly ReportWithShared[],
  database: Database,
): Promise<readonly Verdict[]> {
  const verdicts = new Map<ReportWithShared, Verdict>()
  const own = await readOwnLabelsAgain(reports, database)
  for (const one of reports)
    if (!one.data.livemode) verdicts.set(one, compared(recordedFacts(one), sandboxFacts(one.data, own)))
  const newest = await newestLabelSet(database)
  const activated = await activatedPolicies(database)
  for (const [labelSetSeq, group] of bySequence(reports.filter(({ data }) => data.livemode))) {
    for (let from = 0; from < group.length; from += LABEL_BATCH) {
      const part = group.slice(from, from + LABEL_BATCH)
      const read =
        labelSetSeq > newest
          ? part.map(() =>
              failed(`The label view contains ${newest} publications, the report used ${labelSetSeq}.`),
            )
          : await compareLabels(part, { labelSetSeq, own }, database)
      part.forEach((one, index) => verdicts.set(one, withPolicy(read[index]!, one.data, activated)))
    }
  }
  return reports.map((one) => verdicts.get(one)!)
}

function bySequence(reports: readonly ReportWithShared[]): ReadonlyMap<number, ReportWithShared[]> {
  const groups = new Map<number, ReportWithShared[]>()
  for (const one of reports) {
    const { labelSetSeq } = one.data.inputs
    const group = groups.get(labelSetSeq)
    if (group === undefined) groups.set(labelSetSeq, [one])
    else group.push(one)
  }
  return groups
}

/** A policy that was never activated in this installation cannot have decided a report here. */
function withPolicy(verdict: Verdict, { inputs }: ReportGenerated, activated: ReadonlySet<string>): Verdict {
  if (verdict.status === 'failed' || activated.has(inputs.policySha256)) return verdict
  return {
    status: 'differs',
    paths: [...verdict.paths, 'inputs.policySha256'],
    reason: 'The policy of the record was never activated here.',
  }
}

async function activatedPolicies(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ sha256: string }>('SELECT DISTINCT sha256 FROM policy_view.activation')
  return new Set(rows.map(({ sha256 }) => sha256))
}

async function newestLabelSet(database: Database): Promise<number> {
  const [row] = await database.query<{ newest: number }>(
    'SELECT coalesce(max(label_set_seq), 0) AS newest FROM label_view.publication',
  )
  return row?.newest ?? 0
}

async function compareLabels(
  group: readonly ReportWithShared[],
  { labelSetSeq, own }: { readonly labelSetSeq: number; readonly own: OwnLabelsAgain },
  database: Database,
): Promise<Verdict[]> {
  const onChains = group.map(({ data }) => chainsOf(data))
  const addresses = onChains.flat().flatMap((one) => [one, ...membersOf(one)])
  const { sets, labels } = await readLabelsAsOf(database, {
    lookupKeys: [...new Set(addresses.map(keyOf).filter((key) => key !== null))],
    labelSetSeq,
  })
  const lists = { labelsAsOf: newestPublication(sets), labelSets: sets.map(setFacts) }
  const byKey = new Map<string, LabelFacts[]>()
  for (const label of labels) {
    const known = byKey.get(label.lookupKey) ?? []
    if (known.push(labelFacts(label)) === 1) byKey.set(label.lookupKey, known)
  }
  return group.map((one, index) => {
    const chains = onChains[index]!
    if (chains.some((chain) => keyOf(chain) === null))
      return failed('The canonical address of the record is not an address of its chain.')
    return compared(recordedFacts(one), {
      labelState: lists,
      inputs: inputsOf(
        chains.map((chain) => ({
          labels: [
            ...(byKey.get(keyOf(chain)!) ?? []),
            ...('isOwnSide' in chain ? [] : own(one.data, chain)),
          ],
          // The ledger knows which members a cluster has (level C); here only their labels are read.
          cluster: membersOf(chain).map((member) =>
            byKey.get(keyOf(member) ?? '')?.find(({ labelId }) => labelId === member.label.labelId),
          ),
        })),
      ),
    })
  })
}

/** The detected chain of a report first, then the other ones that were judged, then the own address of a transfer. */
const chainsOf = ({ chain, canonicalAddress, inputs, transfer }: ReportGenerated) => [
  { chain, canonicalAddress, labels: inputs.labels, cluster: inputs.cluster },
  ...inputs.candidates,
  ...(transfer === null
    ? []
    : [
        {
          chain,
          canonicalAddress: transfer.ownCanonicalAddress,
          labels: inputs.ownAddressLabels,
          cluster: null,
          isOwnSide: true,
        },
      ]),
]

type OnChain = Pick<CandidateRecord, 'chain' | 'canonicalAddress' | 'labels' | 'cluster'>

const membersOf = ({ chain, cluster }: OnChain) =>
  (cluster?.labels ?? []).map(({ member, label }) => ({ chain, canonicalAddress: member, label }))

function keyOf({ canonicalAddress, chain }: Pick<OnChain, 'chain' | 'canonicalAddress'>): string | null {
  const parsed = parseAddress(canonicalAddress, chain)
  return parsed.ok ? parsed.lookupKey : null
}

interface LabelsOfChain {
  readonly labels: readonly LabelFacts[]
  /** Labels of other members of the cluster; undefined if such a label is no longer found. */
  readonly cluster: readonly (LabelFacts | undefined)[]
}

/** The paths of differences read as in the record. */
const inputsOf = ([detected, ...candidates]: readonly LabelsOfChain[]): ReadFacts['inputs'] => ({
  ...detected!,
  candidates,
})

/** The inputs of a decision, without its results. */
interface ReadFacts {
  readonly labelState: { readonly labelsAsOf: string; readonly labelSets: readonly LabelSetFacts[] }
  readonly inputs: LabelsOfChain & { readonly candidates: readonly LabelsOfChain[] }
}

function recordedFacts({ data, shared }: ReportWithShared): ReadFacts {
  const { labelsAsOf, labelSets } = shared.labelState
  return {
    labelState: { labelsAsOf, labelSets },
    inputs: inputsOf(
      chainsOf(data).map((chain) => ({
        labels: chain.labels.map(labelAsRead),
        cluster: membersOf(chain).map(({ label }) => labelAsRead(label)),
      })),
    ),
  }
}

/** The fields that the decision adds to each label. */
const decidedFields: readonly string[] = [
  'status',
  'isLiveDesignation',
  'used',
  'reason',
] satisfies readonly (keyof ConsideredLabel)[]

const labelAsRead = (label: ConsideredLabel): LabelFacts =>
  Object.fromEntries(
    Object.entries(label).filter(([name]) => !decidedFields.includes(name)),
  ) as unknown as LabelFacts

/** The sandbox contains its magic addresses, own labels, and no others. */
function sandboxFacts(data: ReportGenerated, own: OwnLabelsAgain): ReadFacts {
  const { canonicalAddress, chain, generatedAt, inputs, transfer } = data
  const { labelsAsOf, labelSets, labels } = sandboxLabels(canonicalAddress, chain, generatedAt)
  const all = [...labels, ...own(data, { chain, canonicalAddress, labels: inputs.labels })]
  const ownSide =
    transfer === null
      ? []
      : [{ labels: sandboxLabels(transfer.ownCanonicalAddress, chain, generatedAt).labels, cluster: [] }]
  return {
    labelState: { labelsAsOf, labelSets },
    inputs: inputsOf([{ labels: all, cluster: [] }, ...ownSide]),
  }
}
