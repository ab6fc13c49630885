/**
 * The floor: a request record, an echo that answers each with a report record, and a client that tails the report partition.
 * It uses the same log port as a screen and waits for the same thing, the record instead of its own acknowledgement, but without
 * HTTP, keys, labels, decision or database.
 */
import { randomBytes } from 'node:crypto'
import type { EventLog, Subscription } from '@cupel/event-log'
import type { TopicSpec } from '@cupel/contracts'
import type { Client } from './load.js'

/** Bytes of a record's value; about the size of a request. */
const RECORD_BYTES = 400
const REQUEST_PARTITIONS = 4
const REPORT_PARTITION = 1
const MAX_BATCH_RECORDS = 500
const ANSWER_TIMEOUT_MS = 10_000

const config = { 'cleanup.policy': 'delete', 'retention.ms': '-1' }
const request: TopicSpec = {
  ...{ name: 'floor.request', partitions: REQUEST_PARTITIONS, producer: 'fast', config },
}
const report: TopicSpec = { name: 'floor.report', partitions: 2, producer: 'fast', config }
const headers = { ce_type: 'cupel.bench.floor' }

export const floorTopics: readonly TopicSpec[] = [request, report]

const failure = (error: unknown): void => {
  throw error
}

/** Answers every request record with a report record of the same key and size. */
export const startEcho = (log: EventLog): Promise<Subscription> =>
  log.subscribe({
    group: 'floor.echo',
    topics: [request.name],
    checkpoint: () => Promise.resolve(null),
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: REQUEST_PARTITIONS,
    handle: ({ records }) => {
      const place = { topic: report.name, partition: REPORT_PARTITION, headers }
      const answers = records.map(({ key, value }) => ({ ...place, key, value }))
      if (answers.length > 0) log.append('test', answers).catch(failure)
      return Promise.resolve(undefined)
    },
    onStopped: failure,
    onRetry: failure,
  })

export async function floorClient(log: EventLog): Promise<Client> {
  const run = randomBytes(4).toString('hex')
  /** Requests that wait for the record with their key. */
  const waiting = new Map<string, () => void>()
  await log.tail({
    topic: report.name,
    partition: REPORT_PARTITION,
    onRecords: (records) => {
      for (const { key } of records) waiting.get(key)?.()
    },
    onStopped: failure,
  })
  const value = randomBytes(RECORD_BYTES)
  return (index) =>
    new Promise((resolve, reject) => {
      const key = `${run}-${index}`
      const timer = setTimeout(() => reject(new Error('no answer from the echo')), ANSWER_TIMEOUT_MS)
      waiting.set(key, () => {
        clearTimeout(timer)
        waiting.delete(key)
        resolve()
      })
      log.append('test', [{ topic: request.name, key, value, headers }]).catch(reject)
    })
}
