/**
 * Records without a MAC where one is demanded, by what the log says and not by the rows that state the requirement: whoever deletes or moves
 * these rows hides no record. Once a partition has a record with a MAC, every later one needs one, unless an operator allowed others then.
 */
import { topicOf } from '@cupel/contracts'
import {
  type AuthenticLog,
  type EventCodec,
  type LogRecord,
  LogStoppedError,
  MAC_HEADER,
  placeOf,
  scan,
} from '@cupel/event-log'
import { problemAt, type Problem } from '@cupel/proofs'

export interface UnsignedRecords {
  /** In the order of the partition. Records with a wrong MAC are not given: they are problems by themselves. */
  add(record: LogRecord): void
  /** The problems of all records, to be called once; and since when the log has MACs and no operator allowed others, null if it does not. */
  end(): {
    readonly problems: readonly Problem[]
    readonly count: number
    readonly requiredSince: string | null
  }
}

/** From, until: milliseconds since 1970. */
type Period = readonly [from: number, until: number]

interface PartitionState {
  /** The time of the last record with a MAC; null before the first. */
  signedAtMs: number | null
  /** Records without a MAC since then; their number, and the first of them. */
  waiting: LogRecord[]
  count: number
}

/** `maxProblems`: so many are named, and all are counted. */
export async function findUnsignedRecords(
  parts: { readonly log: AuthenticLog; readonly codec: EventCodec },
  maxProblems: number,
): Promise<UnsignedRecords> {
  const { allowed, requiredAtMs, isRequired } = await readRequirement(parts)
  const partitions = new Map<string, PartitionState>()
  const problems: Problem[] = []
  let count = 0
  let firstSignedAtMs = Infinity

  /** Between two moments at which records had MACs, none without one belongs there, unless an operator allowed it meanwhile. */
  function judge(state: PartitionState, untilMs: number): void {
    const { waiting, signedAtMs } = state
    if (signedAtMs !== null && !allowed.some(([from, until]) => from <= untilMs && signedAtMs < until)) {
      count += state.count
      for (const record of waiting)
        if (problems.length < maxProblems) problems.push(problemAt('forged', record, UNSIGNED))
    }
    ;[state.waiting, state.count] = [[], 0]
  }

  return {
    add(record) {
      const place = placeOf(record)
      const state = partitions.get(place) ?? { signedAtMs: null, waiting: [], count: 0 }
      partitions.set(place, state)
      if (record.headers[MAC_HEADER] === undefined) {
        state.count += 1
        if (state.waiting.length < maxProblems) state.waiting.push(record)
        return
      }
      const atMs = msOf(record)
      firstSignedAtMs = Math.min(firstSignedAtMs, atMs)
      // What came before the first MAC of its partition is judged at the end.
      if (state.signedAtMs !== null) judge(state, atMs)
      else if (state.count > 0) partitions.set(`${place} `, { ...state })
      ;[state.signedAtMs, state.waiting, state.count] = [atMs, [], 0]
    },
    end() {
      const dueAtMs = requiredAtMs ?? firstSignedAtMs
      for (const state of partitions.values()) {
        if (state.signedAtMs === null) {
          // Without a record with a MAC before it only its own time tells when it came.
          const late = state.waiting.filter((record) => msOf(record) >= dueAtMs)
          state.count -= state.waiting.length - late.length
          state.waiting = late
          state.signedAtMs = state.waiting[0] === undefined ? null : msOf(state.waiting[0])
        }
        judge(state, Infinity)
      }
      const isDue = isRequired && Number.isFinite(firstSignedAtMs)
      return { problems, count, requiredSince: isDue ? new Date(dueAtMs).toISOString() : null }
    },
  }
}

const UNSIGNED =
  'The record has no MAC, although earlier ones have one, and no event says that an operator allowed it.'

/** As `timeOfRecord`; 0 if nothing says it. */
const msOf = ({ timestampMs, headers }: LogRecord): number =>
  timestampMs ?? (Date.parse(headers['ce_time'] ?? '') || 0)

interface Requirement {
  /** When records without MACs were allowed: before the first word of an operator, if it requires them, and where an operator allowed them. */
  readonly allowed: readonly Period[]
  /** When an operator first required MACs; null if they were required from the first one on. */
  readonly requiredAtMs: number | null
  /** Whether the last word of an operator requires them, if there is one. */
  readonly isRequired: boolean
}

/** Only an event with a MAC counts. */
async function readRequirement({
  log,
  codec,
}: {
  readonly log: AuthenticLog
  readonly codec: EventCodec
}): Promise<Requirement> {
  const allowed: Period[] = []
  let requiredAtMs: number | null = null
  let allowedFromMs: number | null = null
  let isFirst = true
  try {
    for await (const record of scan(log, [topicOf('RecordMacsChanged')])) {
      const event =
        record.headers[MAC_HEADER] === undefined ? null : codec.decodeAs('RecordMacsChanged', record)
      if (event === null) continue
      const atMs = Date.parse(event.data.changedAt)
      if (!event.data.required) allowedFromMs ??= atMs
      else {
        if (isFirst) allowed.push([-Infinity, (requiredAtMs = atMs)])
        if (allowedFromMs !== null) allowed.push([allowedFromMs, atMs])
        allowedFromMs = null
      }
      isFirst = false
    }
  } catch (error) {
    // The verification names the place at which the log ends.
    if (!(error instanceof LogStoppedError)) throw error
  }
  if (allowedFromMs !== null) allowed.push([allowedFromMs, Infinity])
  return { allowed, requiredAtMs, isRequired: allowedFromMs === null }
}
