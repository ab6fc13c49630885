/** The state of an installation at a past moment: lists, policy, ledger and prices, each by its number or hash. */
import { compiledDefaultPolicy, compilePolicyText, type CompiledPolicy } from '@cupel/domain'
import { topicOf } from '@cupel/contracts'
import { endsOf, type EventCodec, type EventLog } from '@cupel/event-log'
import { createLedgerCheck, ledgerSeqAt, pricesSha256At, type CheckedLedger } from '@cupel/ledger'
import { sqlState, type Queryable } from '@cupel/postgres'
import {
  contradictionOf,
  readPolicyAt,
  readStatedPolicies,
  type ActivePolicy,
  type StatedPolicy,
} from '@cupel/policy/read-model'
import {
  createStatedPublications,
  findLabelStateAt,
  LABEL_PARTITION,
  LABEL_TOPIC,
} from '@cupel/labels/read-model'

export interface PastSource {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Its views of labels and policies contain everything that the log has. */
  readonly database: Queryable
  /** Compares the ledger with the log. */
  readonly checkLedger: () => Promise<CheckedLedger>
  /** Why the rows that say which lists were in force when must not be used, as a sentence; null if the log states them. */
  readonly checkLists: () => Promise<string | null>
  /** The same for the policy of a moment. */
  readonly checkPolicy: (policy: ActivePolicy | null, asOf: string) => Promise<string | null>
}

type Unchecked = Omit<PastSource, 'checkLedger' | 'checkLists' | 'checkPolicy'>

/** For all screens of a process: rows of lists and of the ledger are compared again only if they changed. */
export function createPastSource<T extends Unchecked>(parts: T): T & PastSource {
  return {
    ...parts,
    checkLedger: createLedgerCheck(parts),
    checkLists: createStatedPublications(parts).faultOfAll,
    checkPolicy: createPolicyCheck(parts),
  }
}

/** The log states other policies only if its topic has grown. */
function createPolicyCheck({ log, codec }: Unchecked): PastSource['checkPolicy'] {
  let known: { readonly end: string; readonly stated: readonly StatedPolicy[] } | null = null
  return async (policy, asOf) => {
    const end = JSON.stringify(await endsOf(log, [topicOf('PolicyActivated')]))
    if (known?.end !== end) known = { end, stated: await readStatedPolicies(log, codec) }
    const { stated } = known
    const then = stated.findLast(({ activatedAt }) => Date.parse(activatedAt) <= Date.parse(asOf))
    if (policy !== null) {
      const contradiction = contradictionOf(policy, stated)
      if (contradiction !== null) return contradiction
    }
    return then?.policySeq === policy?.policySeq
      ? null
      : `policy-view has activation ${policy?.policySeq ?? 0} in force at ${asOf}, and the log states ${then?.policySeq ?? 0}.`
  }
}

/** The rows that decide are not those that the log states. The message names the difference. */
export class InputsDifferError extends Error {
  override readonly name = 'InputsDifferError'
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
  const { database, checkLedger, checkLists, checkPolicy } = source
  const { fault, unstated } = await checkLedger()
  // A row that the log does not state yet may count for this moment, or be nobody's.
  const difference = fault ?? unstated ?? (await checkLists())
  if (difference !== null) throw new InputsDifferError(difference)
  const [lists, policy, ledgerSeq, pricesSha256] = await Promise.all([
    findLabelStateAt(database, asOf),
    readPolicyAt(database, asOf),
    ledgerSeqAt(database, asOf).catch(withoutLedger(0)),
    pricesSha256At(database, asOf).catch(withoutLedger(null)),
  ])
  const contradiction = await checkPolicy(policy, asOf)
  if (contradiction !== null) throw new InputsDifferError(contradiction)
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
