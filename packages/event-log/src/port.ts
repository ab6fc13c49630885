/**
 * The log as the platform sees it: append-only, partitioned, replayable. Kafka and Postgres implement it, and one contract suite tests
 * both against this description; an archive implements its reading part. No type of an adapter appears here.
 *
 * Content of a topic: domain events only, each a schema id and an Avro payload, so that any Avro consumer can read a topic from its
 * beginning. Two kinds of topics are the platform's own and hold other records: `log.genesis.v1` holds the genesis record, and
 * `<group>.dlq` holds dead letters and notes about them. Neither is public.
 */
import type { TopicSpec } from '@cupel/contracts'
import type { FailpointName } from '@cupel/kit/failpoints'

export type Headers = Readonly<Record<string, string>>

/** A record to append. Without `partition` the key decides it: equal keys share a partition and keep their order. */
export interface NewRecord {
  readonly topic: string
  readonly partition?: number | undefined
  readonly key: string
  /** Empty on a compacted topic: the record has no value, and the brokers forget the key. */
  readonly value: Buffer
  readonly headers: Headers
}

export interface LogRecord {
  readonly topic: string
  readonly partition: number
  /** Position within the partition, from 0, without gaps; with gaps in a compacted topic. */
  readonly offset: number
  readonly key: string
  /** Empty if the record has no value. */
  readonly value: Buffer
  readonly headers: Headers
  /** When the log took the record, as the log stores it: milliseconds since 1970. `read` of a log gives it; an archive has none. */
  readonly timestampMs?: number | undefined
  /** The type from the headers, if an adapter finds it without reading the others; see `typeOf`. */
  readonly type?: string | undefined
}

/** ISO 8601: when the log took the record, or else the time that its event states; null if neither is known. */
export function timeOfRecord({
  timestampMs,
  headers,
}: Pick<LogRecord, 'timestampMs' | 'headers'>): string | null {
  const time = timestampMs ?? Date.parse(headers['ce_time'] ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Why a record is not one of this installation. */
export type Forgery =
  /** It has no MAC although one is required. */
  | 'no-mac'
  /** Its MAC names a key that this installation does not have. */
  | 'unknown-key'
  /** Its MAC does not match its contents: it was changed, or belongs to another topic, key or event. */
  | 'wrong-mac'

export interface ForgedRecord {
  readonly record: LogRecord
  readonly forgery: Forgery
}

/** One partition of a topic. */
export interface Place {
  readonly topic: string
  readonly partition: number
}

export interface Position extends Place {
  readonly offset: number
}

/** The records `from` ≤ offset < `to` of a place. */
export interface LogRange extends Place {
  readonly from: number
  readonly to: number
  /** Whether records may be those that this process appended and still has, instead of those that the log has now. False by default. */
  readonly asAppended?: boolean
}

/** Identifies the log. A checkpoint taken on one log has no meaning on another. */
export type LogIdentity = string

/** MACs of texts that a process with the record keys keeps outside of the log. */
export interface TextMacs {
  macOf(purpose: string, text: string): string
  /** Whether a process with one of the keys made this MAC of the text for this purpose. */
  isMac(mac: string, purpose: string, text: string): boolean
}

export interface EventLog {
  /** An archive is a read-only log. */
  readonly kind: 'embedded' | 'kafka' | 'archive'
  /** Absent without record keys. */
  readonly macs?: TextMacs | undefined

  /**
   * Creates what is missing, including the genesis record that gives the log its identity, and gives existing topics their settings.
   * Resolves to one sentence for each change. It is for the installation: services call `topicFaults` instead. Rejects if a topic has a
   * fault that it cannot mend and `accepts` does not accept.
   */
  ensureTopics(
    topics: readonly TopicSpec[],
    accepts?: (fault: TopicFault) => boolean,
  ): Promise<readonly string[]>
  /** The differences between the topics, including the identity topic, and those that `ensureTopics` makes. Changes nothing. */
  topicFaults(topics: readonly TopicSpec[]): Promise<readonly TopicFault[]>
  identity(): Promise<LogIdentity>
  partitionCount(topic: string): Promise<number>
  /** Partition of a record with this key and no explicit partition. */
  partitionFor(topic: string, key: string): Promise<number>

  /**
   * Resolves when every record is acknowledged; the order of records with one partition is kept.
   * Calls made in the same moment share a request. Rejects with LogUnavailableError or RecordTooLargeError;
   * after a rejection a record may nevertheless have been written (at-least-once).
   */
  append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]>

  /** Offset that the next record of the partition will get; calls of one moment share a query. */
  endOffset(topic: string, partition: number): Promise<number>
  /** Oldest offset that can still be read. */
  startOffset(topic: string, partition: number): Promise<number>

  /** The records of the range, in order, in batches. */
  read(range: LogRange): AsyncIterable<readonly LogRecord[]>

  /**
   * Follows one partition from its current end, outside any group. Resolves when the tail is ready: records appended from then on are
   * delivered. Appends nothing.
   */
  tail(options: TailOptions): Promise<Tail>

  /** Takes part in a group: its members share the partitions of the topics. Resolves once it has joined. */
  subscribe(options: SubscribeOptions): Promise<Subscription>

  /** Stops subscriptions and tails, sends accepted records, closes connections. */
  close(): Promise<void>
}

/** A missing topic, or one of its settings that breaks a guarantee of the log. */
export interface TopicFault {
  /** The name at the brokers, with the prefix of the installation. */
  readonly topic: string
  /** Kafka's spelling; `topic` if it is missing, `partitions` and `replication.factor` for its size. */
  readonly setting: string
  /** Null if there is none. */
  readonly found: string | null
  readonly wanted: string
  /** Whether `ensureTopics` corrects it. */
  readonly isMended: boolean
  /** Whether it ends by itself once every broker is back: services start nevertheless. */
  readonly isPassing?: true
  /** For an operator: the fault and its effect. */
  readonly sentence: string
}

export interface TailOptions {
  readonly topic: string
  readonly partition: number
  /** Called synchronously, in order; must not throw. Each offset is delivered at most once per process. */
  readonly onRecords: (records: readonly LogRecord[]) => void
  readonly onStopped: (error: LogStoppedError) => void
}

export interface Tail {
  /** Whether records appended now would be delivered. */
  readonly isReady: () => boolean
  stop(): Promise<void>
}

export interface SubscribeOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** The partitions that the group reads; all by default. Every member must always return the same. */
  readonly reads?: (place: Place) => boolean
  /** The start of reading; called whenever a partition is assigned. The group itself stores no offsets. */
  readonly checkpoint: (place: Place) => Promise<Checkpoint | null>
  /**
   * Handles records of one partition in order; the next batch of that partition follows when it has resolved. It resolves to the offset at
   * which reading continues; `undefined` means after the batch. A rejected batch is retried from the checkpoint after a pause.
   */
  readonly handle: (batch: LogBatch) => Promise<{ readonly resumeAt: number } | undefined>
  readonly maxBatchRecords: number
  /** Partitions handled at the same time. */
  readonly concurrency: number
  /**
   * For readers that no caller waits for: the rest in milliseconds after everything was read, so that a busy log is read in few, large
   * pieces. The first record after a pause arrives at once, `nudge` ends a rest, and a reader that is behind does not rest.
   */
  readonly restMs?: number
  /** For readers that decide nothing: they also get records of other producers. */
  readonly forgedToo?: true
  /** The subscription has ended for good: the log is another one, was cut, or cannot be read. */
  readonly onStopped: (error: LogStoppedError) => void
  /** A partition cannot be read, or its batch was rejected; it will be retried. */
  readonly onRetry: (error: unknown, position: Position) => void
  /**
   * The reported problem of the partition is over: it is read again, and no rejected batch waits to be handled. A batch is also over if its
   * checkpoint has moved: it was stored, although the handler could not know that. So is everything of a partition that this reader gives up.
   */
  readonly onRecovered?: (place: Place) => void
}

export interface Checkpoint {
  /** Next offset to read. */
  readonly next: number
  /** The log of the checkpoint. */
  readonly log: LogIdentity
}

export interface LogBatch {
  readonly topic: string
  readonly partition: number
  /**
   * Ascending. Fewer than the offsets in the range, or none, if a Kafka cluster keeps records of its own in the partition (the end of a
   * transaction): the checkpoint moves past them.
   */
  readonly records: readonly LogRecord[]
  /** Records of other producers within the batch. They are not among `records`, and must have no effect. */
  readonly forged?: readonly ForgedRecord[]
  readonly firstOffset: number
  /** Offset after the last one of the batch. */
  readonly nextOffset: number
  /** Last known end of the partition: `endOffset - nextOffset` is the lag. */
  readonly endOffset: number
}

export interface Subscription {
  /** Partitions that this member currently holds. */
  readonly assigned: () => readonly Place[]
  /** Records appended to the assigned partitions and not yet handled, at the last check. */
  readonly lag: () => number
  /** Goes back to a stored checkpoint, for example when an append of a handled batch failed later. */
  restart(place: Place): void
  /** A caller waits now: ends the rest. Records appended before the call are read without another one. */
  nudge(): void
  /** Finishes the running batches, leaves the group at once. */
  stop(): Promise<void>
}

/** Header that names the event type. */
export const TYPE_HEADER = 'ce_type'

/** The event type that a record names; undefined if it names none. */
export function typeOf(record: LogRecord): string | undefined {
  return 'type' in record ? record.type : record.headers[TYPE_HEADER]
}

/** The log could not be reached or did not acknowledge in time: a retry may succeed. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError'
}

/** Where the records of a month are, after a cut of the log. */
export interface Retirement {
  /** Of UTC: `2026-01`. */
  readonly month: string
  /** The folder or the store, as the operator named it. */
  readonly archive: string
  /** UTC, RFC 3339. */
  readonly cutAt: string
}

/** A record that was handed to an archive which nobody reads here. A retry succeeds once an operator names that archive. */
export class RecordRetiredError extends LogUnavailableError {
  readonly retirement: Retirement
  constructor(message: string, retirement: Retirement, options?: { cause?: unknown }) {
    super(message, options)
    this.retirement = retirement
  }
}

/** A record is larger than the log accepts: a retry never succeeds. */
export class RecordTooLargeError extends Error {
  override readonly name = 'RecordTooLargeError'
}

/** Reading has ended for good; the message says why and what an operator can do. */
export class LogStoppedError extends Error {
  override readonly name = 'LogStoppedError'
  readonly reason: LogStopReason
  constructor(reason: LogStopReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

export type LogStopReason = 'foreign-log' | 'truncated-log' | 'beyond-end' | 'gap' | 'crashed' | 'stuck'

/** Largest record either adapter accepts, headers and key included. */
export const MAX_RECORD_BYTES = 2_000_000
