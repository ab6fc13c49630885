/** Exposure worked out again from the ledger, level C: as of the state of the ledger and of the labels the record names. */
import type { ExposureRecord, ReportGenerated } from '@cupel/contracts'
import { compilePolicyText, type LabelFacts } from '@cupel/domain'
import { examineAddress, listSegments } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { labelFacts, readLabelsAsOf } from '@cupel/read-models'

export type ExposureAgain =
  | { readonly outcome: 'derived'; readonly recorded: unknown; readonly derived: unknown }
  | { readonly outcome: 'not-derivable'; readonly reason: string }
  /** The report rests on no ledger, or its stage was dropped whole. */
  | { readonly outcome: 'nothing-recorded'; readonly reason: null }

/** Reports with exposure of one batch ask for the same segments. */
export type LedgerStates = ReadonlySet<number>

/** Numbers of the segments that the ledger holds. */
export async function readLedgerStates(database: Database): Promise<LedgerStates> {
  const segments = await listSegments(database)
  return new Set(segments.flatMap(({ ledgerSeq }) => (ledgerSeq === null ? [] : [ledgerSeq])))
}

/** Whether a report rests on a ledger at all. */
export function restsOnLedger({ inputs: { exposure } }: ReportGenerated): boolean {
  return exposure !== null && (exposure.status === 'examined' || exposure.status === 'absent')
}

export async function rederiveExposure(
  { chain, canonicalAddress, generatedAt, inputs }: ReportGenerated,
  database: Database,
  states: LedgerStates,
): Promise<ExposureAgain> {
  const recorded = inputs.exposure as ExposureRecord
  const missing = Array.from({ length: recorded.ledgerSeq }, (_, index) => index + 1).filter(
    (seq) => !states.has(seq),
  )
  if (missing.length > 0) {
    return {
      outcome: 'not-derivable',
      reason: `The ledger no longer holds segment ${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''} of the ${recorded.ledgerSeq} the record rests on; LedgerSegmentImported names their files.`,
    }
  }
  const derived = await examineAddress(database, {
    chain,
    address: canonicalAddress,
    ledgerSeq: recorded.ledgerSeq,
    policy: compilePolicyText(inputs.policyDocument),
    labelSets: inputs.labelSets,
    generatedAt,
    labelsOf: async (lookupKeys) => await labelsAsOf(lookupKeys, inputs.labelSetSeq, database),
  })
  return {
    outcome: 'derived',
    recorded: { inputs: { exposure: recorded } },
    derived: { inputs: { exposure: derived } },
  }
}

async function labelsAsOf(
  lookupKeys: readonly string[],
  labelSetSeq: number,
  database: Database,
): Promise<ReadonlyMap<string, readonly LabelFacts[]>> {
  const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq })
  const byKey = new Map<string, LabelFacts[]>()
  for (const label of labels) {
    const known = byKey.get(label.lookupKey) ?? []
    if (known.push(labelFacts(label)) === 1) byKey.set(label.lookupKey, known)
  }
  return byKey
}
