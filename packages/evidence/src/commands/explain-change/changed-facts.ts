/** The differences between the inputs of two decisions, by name: the facts behind the points of an explanation. */
import type { RecordedDecision } from '@cupel/domain'
import { en, nameOf } from '@cupel/reports/document'

type Label = RecordedDecision['recorded']['inputs']['labels'][number]
type LabelSet = RecordedDecision['shared']['labelState']['labelSets'][number]

export interface ChangedFacts {
  readonly labelsAdded: readonly object[]
  readonly labelsRemoved: readonly object[]
  /** Labels that both decisions have, and that counted in only one of them. */
  readonly labelsChanged: readonly object[]
  /** Lists by name, with the publication before and after; null if it did not exist. */
  readonly lists: readonly {
    readonly name: string
    readonly from: string | null
    readonly to: string | null
  }[]
  readonly ledger: readonly [number | null, number | null]
  readonly policy: readonly [string, string]
  readonly scorer: readonly [string, string]
  readonly generatedAt: readonly [string, string]
  /** The same for people; one line for each difference. */
  readonly lines: readonly string[]
}

/** Lines of labels that people see; the JSON answer has all. */
const MAX_LABEL_LINES = 20

export function changedFacts(from: RecordedDecision, to: RecordedDecision): ChangedFacts {
  const [a, b] = [from.recorded, to.recorded]
  const [labelsA, labelsB] = [byId(a.inputs.labels), byId(b.inputs.labels)]
  const added = b.inputs.labels.filter(({ labelId }) => !labelsA.has(labelId))
  const removed = a.inputs.labels.filter(({ labelId }) => !labelsB.has(labelId))
  const changed = b.inputs.labels.filter((label) => {
    const before = labelsA.get(label.labelId)
    return before !== undefined && (before.used !== label.used || before.status !== label.status)
  })
  const lists = changedLists(from.shared.labelState.labelSets, to.shared.labelState.labelSets)
  const policyOf = ({ inputs: { policyId, policyVersion } }: typeof a): string =>
    `${policyId} ${policyVersion}`
  const facts = {
    labelsAdded: added.map(named),
    labelsRemoved: removed.map(named),
    labelsChanged: changed.map(named),
    lists,
    ledger: [a.inputs.exposure?.ledgerSeq ?? null, b.inputs.exposure?.ledgerSeq ?? null],
    policy: [policyOf(a), policyOf(b)],
    scorer: [a.inputs.scorerVersion, b.inputs.scorerVersion],
    generatedAt: [a.generatedAt, b.generatedAt],
  } as const
  const labelLines = [
    ...added.map((label) => `+ ${labelText(label)}`),
    ...removed.map((label) => `- ${labelText(label)}`),
    ...changed.map(
      (label) =>
        `~ ${labelText(label)}: ${whatBecame(labelsA.get(label.labelId)!)}, then ${whatBecame(label)}`,
    ),
  ]
  return { ...facts, lines: [...shortened(labelLines), ...lists.map(listText), ...pairLines(facts)] }
}

const byId = (labels: readonly Label[]): ReadonlyMap<string, Label> =>
  new Map(labels.map((label) => [label.labelId, label]))

const named = ({ labelId, source, category, entity, used, reason, sourceUrl }: Label): object => ({
  ...{ label_id: labelId, source, category, entity, used, reason, source_url: sourceUrl },
})

const labelText = ({ category, entity, source }: Label): string =>
  `label ${category} “${entity}” of ${source}`

const whatBecame = ({ used, reason, status }: Label): string =>
  used ? `counted (${nameOf(en.statuses, status)})` : `not counted (${nameOf(en.evidenceReasons, reason)})`

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LABEL_LINES) return lines
  return [
    ...lines.slice(0, MAX_LABEL_LINES),
    `  … and ${lines.length - MAX_LABEL_LINES} labels more (--json lists them)`,
  ]
}

function changedLists(before: readonly LabelSet[], after: readonly LabelSet[]): ChangedFacts['lists'] {
  const name = ({ source, dataset }: LabelSet): string =>
    source === dataset ? source : `${source}/${dataset}`
  const publication = ({ labelSetSeq, publishedAt, asOf, confirmedAt }: LabelSet): string =>
    [`publication ${labelSetSeq} of ${publishedAt}`, ...(asOf === null ? [] : [`as of ${asOf}`])].join(', ') +
    (confirmedAt === null ? '' : `, confirmed ${confirmedAt}`)
  const [first, second] = [before, after].map(
    (sets) => new Map(sets.map((set) => [name(set), publication(set)])),
  )
  return [...new Set([...first!.keys(), ...second!.keys()])]
    .map((key) => ({ name: key, from: first!.get(key) ?? null, to: second!.get(key) ?? null }))
    .filter(({ from, to }) => from !== to)
}

const listText = ({ name, from, to }: ChangedFacts['lists'][number]): string =>
  `list ${name}: ${from ?? 'not there'}; then ${to ?? 'not there'}`

function pairLines(facts: Pick<ChangedFacts, 'ledger' | 'policy' | 'scorer' | 'generatedAt'>): string[] {
  const pairs: readonly (readonly [string, readonly [unknown, unknown]])[] = [
    ['ledger', facts.ledger],
    ['policy', facts.policy],
    ['scorer', facts.scorer],
    ['decided at', facts.generatedAt],
  ]
  return pairs
    .filter(([, [from, to]]) => from !== to)
    .map(([name, [from, to]]) => `${name}: ${String(from ?? 'none')}; then ${String(to ?? 'none')}`)
}
