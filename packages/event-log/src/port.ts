/**
 * The log as the platform sees it: append-only, partitioned, replayable. Two adapters implement it, Kafka and Postgres,
 * and one contract suite tests both against what is written here. No type of either adapter appears here.
 *
 * What a topic holds: domain events, each a schema id and an Avro payload, and nothing else, so that any Avro consumer can read
 * a topic from its beginning. Two kinds of topics are the platform's own and hold other records: `log.genesis.v1` holds the
 * genesis record, and `<group>.dlq` holds dead letters and notes about them. Neither is public.
 */
import type { TopicSpec } from '@cupel/contracts'
import type { FailpointName } from '@cupel/failpoints'

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
  /** Position within the partition, from 0, without gaps; of a compacted topic with gaps. */
  readonly offset: number
  readonly key: string
  /** Empty where the record has no value. */
  readonly value: Buffer
  readonly headers: Headers
  /** The type among the headers, where an adapter finds it without reading the others; see `typeOf`. */
  readonly type?: string | undefined
}

/** Why a record is not one of this installation. */
export type Forgery =
  /** It has no MAC where one is required. */
  | 'no-mac'
  /** Its MAC names a key that this installation does not have. */
  | 'unknown-key'
  /** Its MAC is not that of its contents: it was changed, or belongs to another topic, key or event. */
  | 'wrong-mac'

export interface ForgedRecord {
  readonly record: LogRecord
  readonly forgery: Forgery
}

export interface Position {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** Which log this is. A checkpoint taken on one log means nothing on another. */
export type LogIdentity = string

export interface EventLog {
  /** An archive is a log that is only read. */
  readonly kind: 'embedded' | 'kafka' | 'archive'

  /**
   * Creates what is missing, including the genesis record that gives the log its identity, and gives existing topics their settings.
   * Resolves to one sentence for each change. It is for the installation: services call `topicFaults` instead.
   * Rejects where a topic has a fault that it cannot mend and `accepts` does not take.
   */
  ensureTopics(
    topics: readonly TopicSpec[],
    accepts?: (fault: TopicFault) => boolean,
  ): Promise<readonly string[]>
  /** What of the topics, or of the one that gives the log its identity, is not as `ensureTopics` makes it. Changes nothing. */
  topicFaults(topics: readonly TopicSpec[]): Promise<readonly TopicFault[]>
  identity(): Promise<LogIdentity>
  partitionCount(topic: string): Promise<number>
  /** Partition that a record with this key and no explicit partition goes to. */
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

  /** Records `from` ≤ offset < `to`, in order, in batches. */
  read(range: {
    topic: string
    partition: number
    from: number
    to: number
  }): AsyncIterable<readonly LogRecord[]>

  /**
   * Follows one partition from its present end, outside any group. Resolves when the tail is ready: records appended from then
   * on are delivered. Appends nothing.
   */
  tail(options: TailOptions): Promise<Tail>

  /** Takes part in a group: its members share the partitions of the topics. Resolves once it has joined. */
  subscribe(options: SubscribeOptions): Promise<Subscription>

  /** Stops subscriptions and tails, sends what was accepted, closes connections. */
  close(): Promise<void>
}

/** A topic that is missing, or one setting of it that breaks a promise of the log. */
export interface TopicFault {
  /** As the brokers know it, with the prefix of the installation. */
  readonly topic: string
  /** As Kafka spells it; `topic` where it is missing, `partitions` and `replication.factor` for its size. */
  readonly setting: string
  /** Null where there is none. */
  readonly found: string | null
  readonly wanted: string
  /** Whether `ensureTopics` puts it right. */
  readonly isMended: boolean
  /** For an operator: what is wrong and what it would break. */
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
  readonly reads?: (place: { readonly topic: string; readonly partition: number }) => boolean
  /** Where reading starts; called whenever a partition is assigned. The group itself stores no offsets. */
  readonly checkpoint: (position: { topic: string; partition: number }) => Promise<Checkpoint | null>
  /**
   * Handles records of one partition in order; the next batch of that partition follows when it has resolved.
   * It resolves to the offset at which reading continues; `undefined` means after the batch.
   * A rejection is retried from the checkpoint after a pause.
   */
  readonly handle: (batch: LogBatch) => Promise<{ readonly resumeAt: number } | undefined>
  readonly maxBatchRecords: number
  /** Partitions handled at the same time. */
  readonly concurrency: number
  /**
   * For readers that nobody waits for: the rest in milliseconds once everything was read, so that a busy log is read in few, large
   * pieces. The first record after a pause arrives at once, `nudge` ends a rest, and what is behind does not rest.
   */
  readonly restMs?: number
  /** For readers that decide nothing: records of other producers are among the records too. */
  readonly forgedToo?: true
  /** The subscription has ended for good: the log is another one, was cut, or cannot be read. */
  readonly onStopped: (error: LogStoppedError) => void
  /** A partition cannot be read, or its batch was rejected; it will be retried. */
  readonly onRetry: (error: unknown, position: Position) => void
  /**
   * What was reported for the partition is over: it is read again, and no rejected batch waits to be handled. A batch is also over where
   * its checkpoint turns out to have moved: it was stored, although the handler could not know.
   */
  readonly onRecovered?: (place: { readonly topic: string; readonly partition: number }) => void
}

export interface Checkpoint {
  /** Next offset to read. */
  readonly next: number
  /** The log it was taken on. */
  readonly log: LogIdentity
}

export interface LogBatch {
  readonly topic: string
  readonly partition: number
  /**
   * Ascending. Fewer than the offsets span, or none, where a Kafka cluster keeps records of its own in the partition (the end
   * of a transaction): the checkpoint moves past them.
   */
  readonly records: readonly LogRecord[]
  /** Records of other producers within the batch. They are not among `records`, and nothing may follow from them. */
  readonly forged?: readonly ForgedRecord[]
  readonly firstOffset: number
  /** Offset after the last one of the batch. */
  readonly nextOffset: number
  /** End of the partition as last seen: `endOffset - nextOffset` is the lag. */
  readonly endOffset: number
}

export interface Subscription {
  /** Partitions this member holds now. */
  readonly assigned: () => readonly { topic: string; partition: number }[]
  /** Records appended to the assigned partitions and not yet handled, as last seen. */
  readonly lag: () => number
  /** Goes back to a stored checkpoint, for example when an append of a handled batch failed later. */
  restart(position: { topic: string; partition: number }): void
  /** Somebody waits now: ends the rest. What was appended before the call is read without another one. */
  nudge(): void
  /** Finishes the batches in hand, leaves the group at once. */
  stop(): Promise<void>
}

/** Header that names the event type. */
export const TYPE_HEADER = 'ce_type'

/** The event type that a record names; undefined where it names none. */
export function typeOf(record: LogRecord): string | undefined {
  return 'type' in record ? record.type : record.headers[TYPE_HEADER]
}

/** The log could not be reached or did not acknowledge in time: a retry may succeed. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError'
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
