/**
 * Dead letters: records that a group cannot handle, kept complete with the cause, for an operator. When a letter is resolved, a note is
 * appended to the same topic: letters without a note are open.
 */
import { scan } from './scan.js'
import { derivedTopicSpecs, topicsInUse, type TopicSpec } from '@cupel/contracts'
import type { FailpointName } from '@cupel/kit/failpoints'
import {
  RecordTooLargeError,
  type EventLog,
  type Headers,
  type LogRecord,
  type NewRecord,
  type Position,
} from './port.js'

export interface DeadLetter {
  readonly group: string
  /** Offset of the letter in the topic of dead letters. */
  readonly offset: number
  readonly cause: string
  /** The record's original position; the topic has no installation prefix. */
  readonly origin: Position
  readonly key: string
  /** Null if the record and its cause together were too large: the record is still at its origin. */
  readonly value: Buffer | null
  readonly headers: Headers
}

/** The cause begins with this if another producer wrote the record. It must not be appended again. */
export const FORGED_RECORD = 'forged_record'

const MAX_CAUSE_CHARACTERS = 500
const LETTER_HEADERS = ['cause', 'topic', 'partition', 'offset'] as const
/** Header of a note: the letter at this offset is resolved. */
const RESOLVED_HEADER = 'resolved'
const RESOLVED_HOW_HEADER = 'how'

/** Groups that dead-letter records that they cannot handle: work of the scorers, the coordinator and the dispatcher. */
export const deadLetterGroups: readonly string[] = [
  'scorer.interactive.v1',
  'scorer.bulk.v1',
  'bulk-coordinator.jobs.v1',
  'webhook-dispatcher.deliveries.v1',
]

/** Every topic of an installation except the one that gives the log its identity. */
export const installationTopics = (): readonly TopicSpec[] => [
  ...topicsInUse(),
  ...derivedTopicSpecs,
  ...deadLetterGroups.map(deadLetterTopic),
]

/** The topic of a group's dead letters. */
export function deadLetterTopic(group: string): TopicSpec {
  return {
    name: `${group}.dlq`,
    partitions: 1,
    producer: 'ordered',
    config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'max.message.bytes': '2097152' },
  }
}

/** Dead-letters a record. Resolves when the append is acknowledged; a repeated call appends a second letter. */
export async function appendDeadLetter(
  log: Pick<EventLog, 'append'>,
  at: FailpointName,
  { group, record, cause }: { group: string; record: LogRecord; cause: string },
): Promise<void> {
  const letter: NewRecord = {
    topic: deadLetterTopic(group).name,
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      cause: cause.slice(0, MAX_CAUSE_CHARACTERS),
      topic: record.topic,
      partition: String(record.partition),
      offset: String(record.offset),
    },
  }
  try {
    await log.append(at, [letter])
  } catch (error) {
    if (!(error instanceof RecordTooLargeError)) throw error
    // The record fits without the cause. The original is still at the position that the headers name.
    await log.append(at, [{ ...letter, value: Buffer.alloc(0) }])
  }
}

/** The open letters of a group, oldest first. */
export async function listDeadLetters(log: EventLog, group: string): Promise<DeadLetter[]> {
  const { name: topic } = deadLetterTopic(group)
  const open = new Map<number, DeadLetter>()
  for await (const record of scan(log, [topic])) {
    const resolved = record.headers[RESOLVED_HEADER]
    if (resolved === undefined) open.set(record.offset, letterOf(group, record))
    else open.delete(Number(resolved))
  }
  return [...open.values()]
}

function letterOf(group: string, { offset, key, value, headers }: LogRecord): DeadLetter {
  const own = new Set<string>(LETTER_HEADERS)
  return {
    group,
    offset,
    key,
    cause: headers['cause'] ?? 'unknown',
    origin: {
      topic: headers['topic'] ?? '',
      partition: Number(headers['partition'] ?? 0),
      offset: Number(headers['offset'] ?? 0),
    },
    value: value.length === 0 ? null : value,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name))),
  }
}

/** The original record, for its original partition. Reads it from its origin if the letter does not hold it. */
export async function restoreRecord(log: EventLog, letter: DeadLetter): Promise<NewRecord> {
  const { topic, partition, offset } = letter.origin
  if (letter.value !== null)
    return { topic, partition, key: letter.key, value: letter.value, headers: letter.headers }
  for await (const [record] of log.read({ topic, partition, from: offset, to: offset + 1 }))
    if (record !== undefined)
      return { topic, partition, key: record.key, value: record.value, headers: record.headers }
  throw new Error(`There is no record at ${topic}/${partition} offset ${offset}`)
}

/** The notes that resolve letters; `how` tells operators the action taken. */
export function resolutionsOf(letters: readonly DeadLetter[], how: string): NewRecord[] {
  return letters.map(({ group, offset, key }) => ({
    topic: deadLetterTopic(group).name,
    key,
    value: Buffer.alloc(0),
    headers: { [RESOLVED_HEADER]: String(offset), [RESOLVED_HOW_HEADER]: how },
  }))
}
