/**
 * The floor: a request record, an echo that answers each with a report record, and a client that tails the report partition.
 * It uses the same log port as a screen and waits for the same thing, the record instead of its own acknowledgement, but without
 * HTTP, keys, labels, decision or database.
 */
import { randomBytes } from 'node:crypto'
import type { EventLog, NewRecord, Subscription } from '@cupel/event-log'
import type { TopicSpec } from '@cupel/contracts'
import type { Send } from './load.js'

/** Bytes of a record's value; about the size of a request. */
export const FLOOR_RECORD_BYTES = 400
const ANSWER_TIMEOUT_MS = 10_000
const REQUEST_PARTITIONS = 4
const MAX_BATCH_RECORDS = 500

const config = { 'cleanup.policy': 'delete', 'retention.ms': '-1' }
const requestTopic: TopicSpec = {
  name: 'floor.request',
  partitions: REQUEST_PARTITIONS,
  producer: 'fast',
  config,
}
const reportTopic: TopicSpec = { name: 'floor.report', partitions: 2, producer: 'fast', config }
const REPORT_PARTITION = 1

export const floorTopics: readonly TopicSpec[] = [requestTopic, reportTopic]

/** Answers every request record with a report record of the same key and size. */
export async function startEcho(log: EventLog): Promise<Subscription> {
  const failure = (error: unknown): void => {
    throw error
  }
  return await log.subscribe({
    group: 'floor.echo',
    topics: [requestTopic.name],
    checkpoint: () => Promise.resolve(null),
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: REQUEST_PARTITIONS,
    handle: (batch) => {
      const answers = batch.records.map(({ key, value }) => ({
        topic: reportTopic.name,
        partition: REPORT_PARTITION,
        key,
        value,
        headers,
      }))
      if (answers.length > 0) log.append('test', answers).catch(failure)
      return Promise.resolve(undefined)
    },
    onStopped: failure,
    onRetry: failure,
  })
}

const headers = { ce_type: 'cupel.bench.floor' }

export async function floorClient(
  log: EventLog,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): Promise<{ send: Send; close: () => Promise<void> }> {
  const pending = new Map<string, (error?: Error) => void>()
  const tail = await log.tail({
    topic: reportTopic.name,
    partition: REPORT_PARTITION,
    onRecords: (records) => {
      for (const { key } of records) pending.get(key)?.()
    },
    onStopped: (error) => {
      for (const settle of pending.values()) settle(error)
    },
  })
  const value = randomBytes(FLOOR_RECORD_BYTES)
  const run = randomBytes(4).toString('hex')
  const send: Send = (index) =>
    new Promise((resolve, reject) => {
      const key = `${run}-${index}`
      const timer = setTimeout(() => settle(new Error('no answer from the echo')), answerTimeoutMs)
      const settle = (error?: Error): void => {
        clearTimeout(timer)
        pending.delete(key)
        if (error) reject(error)
        else resolve()
      }
      pending.set(key, settle)
      const record: NewRecord = { topic: requestTopic.name, key, value, headers }
      log.append('test', [record]).catch(settle)
    })
  return { send, close: () => tail.stop() }
}
