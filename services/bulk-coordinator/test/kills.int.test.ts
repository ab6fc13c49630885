/** If a coordinator dies at one of its points, another one ends the job, once, with exact counters. */
import { topicOf, type DomainEvent } from '@cupel/contracts'
import { listDeadLetters, type LogRecord } from '@cupel/event-log'
import { drawnWithin } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { COORDINATOR_GROUP } from '@cupel/bulk/worker'
import { addresses, openInstallation, type Installation } from './installation.js'

let installation: Installation
afterEach(() => installation.close())

const contentOf = ({ key, value, headers }: LogRecord): string =>
  JSON.stringify([key, value?.toString('base64'), headers])
const distinct = (values: readonly string[]): number => new Set(values).size

const points = [
  'bulk.lease-taken:1',
  'bulk.facts:1',
  'bulk.facts:2',
  'bulk.items-released:1',
  'bulk.release:1',
  'bulk.job-ended:1',
  'bulk.announced:1',
]

const kills = points.flatMap((point) => [`before:${point}`, `after:${point}`])

test.each(drawnWithin({ name: 'kills of a coordinator', minimum: 4 }, kills))(
  'killed %s',
  async (failpoint) => {
    installation = await openInstallation()
    const texts = [...addresses(300), 'nonsense', addresses(1)[0]!]
    const jobId = await installation.submit(texts)
    await installation.coordinatorDies(failpoint)
    await installation.coordinator()
    expect((await installation.ended(jobId)).data).toMatchObject({
      ...{ status: 'completed_with_errors', total: 302, completed: 301, failed: 1, cancelled: 0 },
    })
    // Repeated records have the same bytes, so every reader keeps one of each.
    const requests = await installation.requests()
    expect(distinct(requests.map((request) => JSON.stringify(request)))).toBe(300)
    expect(distinct((await installation.endingRecords(jobId)).map(contentOf))).toBe(1)
  },
)

const killsOfCancelling = [
  'before:bulk.facts:2',
  'after:bulk.facts:2',
  'before:bulk.job-ended:1',
  'after:bulk.job-ended:1',
  'before:bulk.announced:1',
]

test.each(drawnWithin({ name: 'kills of a cancelling coordinator', minimum: 2 }, killsOfCancelling))(
  'killed %s, while a job is cancelled, one end is left, and it says what its items say',
  async (failpoint) => {
    installation = await openInstallation()
    installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 50 ? 'report' : 'hold')
    const jobId = await installation.submit(addresses(400))
    await installation.cancel(jobId)
    await installation.coordinatorDies(failpoint)
    await installation.coordinator()
    const event = (await installation.ended(jobId)) as DomainEvent<'BulkCancelled'>
    const { total, completed, failed, cancelled, cancelledIndices } = event.data
    expect([total, completed + failed + cancelled, cancelledIndices.length]).toEqual([400, 400, cancelled])
    expect(distinct((await installation.endingRecords(jobId)).map(contentOf))).toBe(1)
    // The end of another job shows that everything before it was handled.
    installation.scorer.decide = () => 'report'
    await installation.scorer.release()
    await installation.ended(await installation.submit(addresses(1)))
    expect(distinct((await installation.endingRecords(jobId)).map(contentOf))).toBe(1)
  },
)

test.each(['before:bulk.dead-letter:1', 'after:bulk.dead-letter:1'])(
  'killed %s, a record that nobody can read is dead-lettered all the same',
  async (failpoint) => {
    installation = await openInstallation()
    const partition = await installation.log.partitionFor(topicOf('BulkSubmitted'), 'job_poison')
    const poison = {
      topic: topicOf('BulkSubmitted'),
      partition,
      key: 'job_poison',
      value: Buffer.from('poison'),
    }
    await installation.log.append('test', [{ ...poison, headers: { ce_type: 'BulkSubmitted' } }])
    await installation.coordinatorDies(failpoint)
    await installation.coordinator()
    await installation.ended(await installation.submit(addresses(1)))
    const letters = await listDeadLetters(installation.log, COORDINATOR_GROUP)
    expect(letters.map(({ origin }) => origin)).toContainEqual({ topic: poison.topic, partition, offset: 0 })
    expect(distinct(letters.map(({ key, cause }) => `${key} ${cause}`))).toBe(1)
  },
)
