/** Bulk jobs for tests. A test decides the items and records the end of a job. */
import {
  decidedEventId,
  topicOf,
  type BulkSubmitted,
  type DomainEvent,
  type ScreenRequested,
} from '@cupel/contracts'
import { expect } from 'vitest'
import { ADDRESS, call } from './http-client.js'
import type { Installation } from './installation.js'

export interface TestJob {
  readonly jobId: string
  readonly key: string
  readonly submission: BulkSubmitted
}

export interface TestJobs {
  /** Submits one good and one refused address by default. */
  readonly submit: (
    key: string,
    addresses?: readonly string[],
    more?: { readonly name?: string; readonly references?: readonly string[] },
  ) => Promise<TestJob>
  /** Decides an item in place of the scorers of the bulk lane. */
  readonly decide: (job: TestJob, index: number, level: string) => Promise<void>
  /** Ends the job in place of the coordinator. */
  readonly end: (job: TestJob, completed: number, failed: number) => Promise<void>
}

export function createTestJobs(installation: Installation, url: string): TestJobs {
  return {
    async submit(key, addresses = [ADDRESS, 'nonsense'], { name, references } = {}) {
      const items = addresses.map((address, index) => ({ address, reference: references?.[index] }))
      const reply = await call(url, 'POST', '/v1/bulk', {
        ...{ key, body: references === undefined ? { addresses, name } : { items, name } },
        headers: { 'x-forwarded-proto': 'https' },
      })
      expect(reply.status, reply.text).toBe(202)
      const jobId = String(reply.json()['job_id'])
      return { jobId, key, submission: await submissionOf(installation, jobId) }
    },
    async decide({ submission, jobId }, index, level) {
      const { reportId, address, canonicalAddress, chain, candidateChains } = submission.items[index]!
      const { accountId, livemode } = submission
      await installation.scorer.report(
        {
          ...{ reportId, address, canonicalAddress, chain, candidateChains, accountId, livemode },
          ...{ jobId, jobIndex: index, customerReference: null, reportUrl: '', call: null },
        } as unknown as ScreenRequested,
        level,
      )
    },
    async end({ jobId, submission }, completed, failed) {
      const { accountId, livemode, items } = submission
      const completedAt = new Date().toISOString()
      const event: DomainEvent<'BulkCompleted'> = {
        type: 'BulkCompleted',
        data: {
          ...{
            jobId,
            accountId,
            livemode,
            total: items.length,
            completed,
            failed,
            cancelled: 0,
            completedAt,
          },
          status: failed > 0 ? 'completed_with_errors' : 'completed',
        },
        envelope: {
          id: decidedEventId('BulkCompleted', jobId),
          ...{ source: 'test', time: completedAt, subject: jobId, correlationId: jobId, causationId: jobId },
        },
      }
      const target = { topic: topicOf('BulkCompleted', livemode), key: jobId }
      await installation.log.append('test', [installation.codec.encode(event, target)])
    },
  }
}

async function submissionOf(installation: Installation, jobId: string): Promise<BulkSubmitted> {
  const topic = topicOf('BulkSubmitted')
  const partition = await installation.log.partitionFor(topic, jobId)
  for (const record of await installation.records(topic, partition)) {
    const submission = installation.codec.decodeAs('BulkSubmitted', record)?.data
    if (submission?.jobId === jobId) return submission
  }
  throw new Error(`${jobId} is not in the log`)
}
