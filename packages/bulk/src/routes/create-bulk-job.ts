/** POST /v1/bulk: up to 1,000 addresses in, a job out. */
import type { JobStanding } from '@cupel/gate/access'
import {
  findChain,
  MAX_ADDRESS_LENGTH,
  MAX_BULK_ITEMS,
  withoutApiKeys,
  type AskedItem,
  type Plan,
} from '@cupel/domain'
import { z } from 'zod'
import {
  quotaHeaders,
  jsonAnswer,
  keyedEndpoint,
  recorded,
  type Answer,
  type Endpoint,
  type Replay,
  refuse,
  type Refusal,
  statuses,
  anyText,
  chainCode,
  MAX_REFERENCE_LENGTH,
  orAbsent,
  ownText,
} from '@cupel/gate/http'
import { newJobId } from './results/bulk-jobs.js'
import { acceptedDocument, type ResultsUrl } from './results/job-documents.js'
import type { FoundOverview } from '../read-model/index.js'
import type { BulkParts } from './results/open-bulk.js'
import { REPLAY_WAIT_MS } from '@cupel/reports/routes'
import { acceptedExample, bulkJob } from './job-description.js'

/** If the log did not acknowledge, a retry after this time usually works. */
const RETRY_SECONDS = 1
/** A job of a thousand addresses usually ends in this time. */
const BACKLOG_RETRY_SECONDS = 5

/** Characters the name of a job may have. */
const MAX_NAME_LENGTH = 100

const bulkAddress = anyText(MAX_ADDRESS_LENGTH, 0)
  // The results, and the logs of their readers, would contain it.
  .refine((address) => withoutApiKeys(address) === address, { error: 'This looks like an API key' })

const bulkItem = z
  .strictObject({
    address: bulkAddress.describe('An address in any form. A bad one is the error of this item.'),
    chain: chainCode.describe('Chain code of this address, in any case; absent or null: that of the job.'),
    reference: ownText(MAX_REFERENCE_LENGTH).describe(
      'Your own reference of the item: each result has it, and its report has it as `customer_reference`. Null is the same as none.',
    ),
  })
  .meta({ id: 'BulkItemRequest' })

const listOf = <T extends z.ZodType>(one: T) =>
  orAbsent(
    z
      .array(one)
      .min(1, { error: 'At least one address is needed' })
      .max(MAX_BULK_ITEMS, { error: `At most ${MAX_BULK_ITEMS} addresses make a job` }),
  )

const bulkBody = z
  .strictObject({
    addresses: listOf(bulkAddress).describe(
      'Addresses in any form, of any chains. A bad one is the error of its item, not of the job. Either this or `items`.',
    ),
    items: listOf(bulkItem).describe('The same with a chain and a reference for each address.'),
    name: ownText(MAX_NAME_LENGTH).describe('Your name of the job; null is the same as none.'),
    chain: chainCode.describe(
      'Chain code for all that name none, in any case; absent or null: each one’s chain is detected.',
    ),
  })
  .superRefine(({ addresses, items }, context) => {
    if ((addresses === undefined) === (items === undefined))
      context.addIssue({ code: 'custom', message: 'Either addresses or items are needed', path: [] })
  })
  .meta({ id: 'BulkRequest' })
type BulkBody = z.infer<typeof bulkBody>

/** An address that cannot be stored becomes the error of its item. */
const ADDRESS_POINTER = /^\/(?:addresses\/\d+|items\/\d+\/address)$/

function itemsOf({ addresses, items }: BulkBody): readonly AskedItem[] {
  return items ?? addresses!.map((address) => ({ address }))
}

export function createBulkJob({ jobs, admit, reader, resultsUrl }: BulkParts): Endpoint {
  return keyedEndpoint<undefined, undefined, BulkBody>({
    operationId: 'createBulkJob',
    method: 'POST',
    path: '/v1/bulk',
    tag: 'Bulk jobs',
    summary: 'Submit addresses as a job',
    description:
      'Submits 1 to 1,000 addresses as one job, as `addresses` or as `items` with a reference each, and answers at once; interactive screens have priority over the job, and its end is told to the webhook endpoints of the account. Each address is judged by itself: a bad one fails, the others go on. Items with equal address, chain and reference share one report, and each keeps its place. Under an `Idempotency-Key` a repeat is answered as the first call was, for 24 hours, with `Idempotency-Replayed: true`. The call counts as one against the rate limit. An account of the pro plan has at most 50 jobs open, with 25,000 addresses in them; beyond that the answer is 429 `too_many_jobs`, and `RateLimit` names the limit.',
    access: 'read-write',
    bodySchema: bulkBody,
    mayHoldAnyText: (pointer) => ADDRESS_POINTER.test(pointer),
    bodyExample: { addresses: ['0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'nonsense'] },
    answers: [
      {
        status: statuses.accepted,
        description: 'The job was accepted.',
        contentType: 'application/json',
        schema: bulkJob,
        headers: { Location: { description: 'Path of the job.', schema: z.string() } },
        example: acceptedExample,
      },
    ],
    problems: ['unsupported_chain', 'too_many_jobs', 'unavailable'],
    judge: ({ body }) => refusalOf(body) ?? { judged: undefined },
    idempotency: {
      newWorkId: () => Promise.resolve(newJobId()),
      replay: async ({ caller }, jobId) =>
        replayOf(await reader.findOverview(caller, jobId, REPLAY_WAIT_MS), caller.livemode, resultsUrl),
    },
    async handle(call, { body }): Promise<Answer | Refusal> {
      const jobId = call.work?.id ?? newJobId()
      const items = itemsOf(body)
      const { standing, plan } = await admit(call.caller, jobId, items.length)
      if (!standing.isAdmitted) return tooManyJobs(standing, plan)
      const submitted = await jobs.submit({
        call,
        jobId,
        name: body.name,
        items,
        chain: body.chain,
      })
      if (submitted === null)
        return refuse('unavailable', 'The job could not be accepted.', { retryAfterSeconds: RETRY_SECONDS })
      return recorded(
        accepted(submitted.jobId, acceptedDocument(submitted, call.caller.livemode, resultsUrl)),
      )
    },
  })
}

function tooManyJobs({ openJobs, waitingItems }: JobStanding, plan: Plan): Refusal {
  const { name, maxOpenJobs, maxWaitingItems } = plan
  const detail = `The account has ${openJobs} of ${maxOpenJobs} jobs open, and ${waitingItems} of ${maxWaitingItems} addresses wait in them.`
  return refuse('too_many_jobs', detail, {
    retryAfterSeconds: BACKLOG_RETRY_SECONDS,
    headers: quotaHeaders([
      { name: `${name}-open-jobs`, quota: maxOpenJobs, used: openJobs },
      { name: `${name}-waiting-items`, quota: maxWaitingItems, used: waitingItems },
    ]),
  })
}

function refusalOf({ chain }: BulkBody): Refusal | null {
  if (chain === undefined || findChain(chain) !== undefined) return null
  const detail = 'The chain is not one of the supported chains; GET /v1/chains lists them.'
  return refuse('unsupported_chain', detail, { errors: [{ pointer: '/chain', detail }] })
}

function accepted(jobId: string, document: string): Answer {
  return jsonAnswer(statuses.accepted, document, { location: `/v1/bulk/${jobId}` })
}

function replayOf(found: FoundOverview, livemode: boolean, resultsUrl: ResultsUrl): Replay {
  switch (found.kind) {
    case 'job': {
      const { jobId, name, createdAt: submittedAt, total, refused } = found.job
      const document = acceptedDocument({ jobId, name, submittedAt, total, refused }, livemode, resultsUrl)
      return { kind: 'answer', answer: accepted(jobId, document) }
    }
    case 'behind': {
      const detail = 'It is not known yet whether an earlier call was answered.'
      return {
        kind: 'unknown-yet',
        refusal: refuse('unavailable', detail, { retryAfterSeconds: RETRY_SECONDS }),
      }
    }
    case 'unknown':
      return { kind: 'none' }
  }
}
