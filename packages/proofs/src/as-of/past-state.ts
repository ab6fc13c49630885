/** The state of an installation at a past moment: lists, policy, ledger and prices, each by its number or hash. */
import { compiledDefaultPolicy, compilePolicyText, type CompiledPolicy } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { createLedgerCheck, ledgerSeqAt, pricesSha256At, type CheckedLedger } from '@cupel/ledger'
import { sqlState, type Queryable } from '@cupel/postgres'
import { findLabelStateAt, LABEL_PARTITION, LABEL_TOPIC, readPolicyAt } from '@cupel/read-models'

export interface PastSource {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Its views of labels and policies contain everything that the log has. */
  readonly database: Queryable
  /** Compares the ledger with the log. */
  readonly checkLedger: () => Promise<CheckedLedger>
}

/** For all screens of a process: the rows of the ledger are compared again only if they changed. */
export function createPastSource<T extends Omit<PastSource, 'checkLedger'>>(parts: T): T & PastSource {
  return { ...parts, checkLedger: createLedgerCheck(parts) }
}

/** The rows of the ledger are not those that the log states. The message names the difference. */
export class LedgerDiffersError extends Error {
  override readonly name = 'LedgerDiffersError'
}

export interface PastState {
  /** UTC, RFC 3339 with milliseconds. */
  readonly asOf: string
  /** Names the state of all lists. */
  readonly labelSetSeq: number
  readonly policy: CompiledPolicy
  /** UTC, RFC 3339. */
  readonly policyActivatedAt: string
  /** 0 if the ledger was empty. */
  readonly ledgerSeq: number
  /** Null if there were no prices. */
  readonly pricesSha256: string | null
}

/** What an installation did not have yet at the moment. */
export type NotYet = 'lists' | 'policy'

/** Returns the state of a live installation at `asOf`, or what it did not have yet. */
export async function findPastState(source: PastSource, asOf: string): Promise<PastState | NotYet> {
  const { database, checkLedger } = source
  const { fault, unstated } = await checkLedger()
  // A row that the log does not state yet may count for this moment, or be nobody's.
  if (fault !== null || unstated !== null) throw new LedgerDiffersError(fault ?? unstated!)
  const [lists, policy, ledgerSeq, pricesSha256] = await Promise.all([
    findLabelStateAt(database, asOf),
    readPolicyAt(database, asOf),
    ledgerSeqAt(database, asOf).catch(withoutLedger(0)),
    pricesSha256At(database, asOf).catch(withoutLedger(null)),
  ])
  if (lists.publishedSeq === null) return 'lists'
  if (policy === null) return 'policy'
  let labelSetSeq = lists.publishedSeq
  for (const { labelSetSeq: next, logOffset } of lists.expectations) {
    const expectedAt = await timeOfExpectation(source, logOffset)
    if (Date.parse(expectedAt) > Date.parse(asOf)) break
    labelSetSeq = next
  }
  return {
    ...{ asOf, labelSetSeq, ledgerSeq, pricesSha256 },
    policy: compilePolicyText(policy.document),
    policyActivatedAt: policy.activatedAt,
  }
}

/** An installation without ledger tables has no ledger, as for the scorer. */
const withoutLedger =
  <T>(value: T) =>
  (error: unknown): T => {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error
    return value
  }
const UNDEFINED_TABLE = '42P01'

/** Rejects if the log no longer has the event: then the label view does not belong to this log. */
async function timeOfExpectation({ log, codec }: PastSource, offset: number): Promise<string> {
  const place = { topic: LABEL_TOPIC, partition: LABEL_PARTITION }
  for await (const records of log.read({ ...place, from: offset, to: offset + 1 }))
    for (const record of records) {
      const event = codec.decodeAs('LabelSetExpected', record)
      if (event !== null) return event.data.expectedAt === '' ? event.envelope.time : event.data.expectedAt
    }
  throw new Error(`${LABEL_TOPIC}/${LABEL_PARTITION} has no LabelSetExpected at offset ${offset}`)
}

/** The sandbox never changes: it uses the default policy of the scorer. */
export const sandboxPolicy: CompiledPolicy = compiledDefaultPolicy
