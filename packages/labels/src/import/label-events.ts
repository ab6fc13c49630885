/**
 * The events of one import of one set. The id of an event is made from the import and the fact, so that a repeated append gives the same
 * record.
 */
import {
  decidedEventId,
  type AssertedLabel,
  type DomainEvent,
  type LabelSetPublished,
} from '@cupel/contracts'
import { labelIdentity, type StatedLabel } from '@cupel/domain'
import type { Label, PublishedSet } from '../read-model/index.js'
import { setKey } from './set-key.js'
import type { BucketChanges, SetComparison } from './set-changes.js'

export interface LabelImport {
  readonly importId: string
  readonly comparison: SetComparison
  /** Time of the import; all its events have it, and its labels are known from then on. */
  readonly importedAt: string
}

const SOURCE = 'cupel/label-import'

/** Labels of one record, and the characters of their texts: a record stays far below what a log accepts. */
const MOST_LABELS = 500
const MOST_CHARACTERS = 200_000

/** The events of all buckets. A revised label is retired and asserted again. */
export async function* labelEvents(
  subject: LabelImport,
  buckets: AsyncIterable<BucketChanges>,
): AsyncGenerator<DomainEvent> {
  let labels: AssertedLabel[] = []
  let characters = 0
  for await (const changes of buckets) {
    for (const label of changes.retired) yield retired(subject, label)
    for (const { before } of changes.revised) yield retired(subject, before)
    for (const stated of [...changes.revised.map(({ after }) => after), ...changes.asserted]) {
      const label = { labelId: labelId(subject, stated), ...stated }
      labels.push(label)
      characters += charactersOf(label)
      if (labels.length < MOST_LABELS && characters < MOST_CHARACTERS) continue
      yield asserted(subject, labels)
      labels = []
      characters = 0
    }
  }
  if (labels.length > 0) yield asserted(subject, labels)
}

const charactersOf = (label: AssertedLabel): number =>
  Object.values(label).reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' ? value.length : value === null ? 0 : JSON.stringify(value).length),
    0,
  )

/**
 * The id of a label is made from the set, the fact and the version of the set that added it. Importing a file again after a
 * kill gives the same ids; a fact that is listed again after its removal is a new label.
 */
function labelId({ comparison: { set, base } }: LabelImport, label: StatedLabel): string {
  return decidedEventId('label', labelIdentity(set, label), base)
}

function asserted(subject: LabelImport, labels: readonly AssertedLabel[]): DomainEvent<'LabelsAsserted'> {
  const { importId, comparison } = subject
  return {
    type: 'LabelsAsserted',
    data: { importId, ...comparison.set, labels },
    envelope: envelope(subject, decidedEventId('LabelsAsserted', importId, labels[0]!.labelId)),
  }
}

/** The end of a label of the set, or of a set that the import replaces. */
export function retired(subject: LabelImport, label: Label): DomainEvent<'LabelRetired'> {
  const { importId, comparison, importedAt } = subject
  const { labelId, source, dataset } = label
  return {
    type: 'LabelRetired',
    data: { labelId, importId, source, dataset, validTo: comparison.asOf ?? importedAt },
    envelope: envelope(subject, decidedEventId('LabelRetired', importId, labelId)),
  }
}

/** The facts of the comparison that a publication states. */
type ComparedFacts = Pick<
  LabelSetPublished,
  | ('source' | 'dataset' | 'asOf' | 'historical' | 'authorityOrigin' | 'whole')
  | ('list' | 'versionOf' | 'basedOnSeq' | 'replaces')
>

export function published(
  subject: LabelImport,
  facts: Omit<LabelSetPublished, 'importId' | 'publishedAt' | 'appended' | keyof ComparedFacts>,
): DomainEvent<'LabelSetPublished'> {
  const { importId, comparison, importedAt } = subject
  const { set, asOf, historical, append, authorityOrigin, whole, basedOnSeq, replaced } = comparison
  const { list, versionOf } = comparison
  const compared: ComparedFacts = {
    ...{ ...set, asOf, historical, authorityOrigin, whole, basedOnSeq, list, versionOf: [...versionOf] },
    replaces: replaced.map(({ source, dataset }) => ({ source, dataset })),
  }
  return {
    type: 'LabelSetPublished',
    data: { importId, publishedAt: importedAt, appended: append, ...compared, ...facts },
    envelope: envelope(subject, decidedEventId('LabelSetPublished', importId)),
  }
}

/** A publication without changes: the file was unchanged at its address, which is the authority's own if `confirmedAt` says so. */
export function confirmed(
  set: PublishedSet,
  {
    importId,
    publishedAt,
    confirmedAt,
    basedOnSeq,
    importedBy,
    versionOf,
  }: {
    readonly importId: string
    readonly publishedAt: string
    readonly confirmedAt: string | null
    readonly basedOnSeq: number
    readonly importedBy: string
    readonly versionOf: readonly string[]
  },
): DomainEvent<'LabelSetPublished'> {
  const { source, dataset, sha256, asOf, authorityOrigin, whole, total, list, rows } = set
  return {
    type: 'LabelSetPublished',
    data: {
      importId,
      source,
      dataset,
      sha256,
      asOf,
      publishedAt,
      historical: false,
      appended: false,
      authorityOrigin,
      whole,
      replaces: [],
      list,
      versionOf: [...versionOf],
      rows,
      basedOnSeq,
      confirmedAt,
      lostDesignations: 0,
      total,
      added: 0,
      unchanged: total,
      retired: 0,
      refused: rows.refused,
      acceptedRemovals: null,
      reason: null,
      importedBy,
      refreshConfigured: true,
    },
    envelope: {
      id: decidedEventId('LabelSetPublished', importId),
      source: SOURCE,
      time: publishedAt,
      subject: setKey(set),
      correlationId: importId,
      causationId: importId,
    },
  }
}

function envelope({ importId, comparison, importedAt }: LabelImport, id: string): DomainEvent['envelope'] {
  return {
    id,
    source: SOURCE,
    time: importedAt,
    subject: setKey(comparison.set),
    correlationId: importId,
    causationId: importId,
  }
}
