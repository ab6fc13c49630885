/** The bulk job and its results as the API description shows them. */
import { instant, reportExample } from '@cupel/contracts'
import { z } from 'zod'
import { reportComponent } from '@cupel/reports/routes'

export const JOB_ID = /^job_[0-9a-f]{32}$/
const jobIdExample = 'job_019aa5c87f0070008000000000000001'

export const jobPath = z.object({
  job_id: z.string().regex(JOB_ID).describe('The id of the job.'),
})

export const bulkResult = z
  .object({
    number: z
      .int()
      .min(1)
      .describe(
        'Place of the address in the submission, from 1: the number that pages, files and PDFs show.',
      ),
    address: z.string().describe('Exactly as sent.'),
    reference: z
      .string()
      .optional()
      .describe('Your own reference of the item, where it has one; `erased` after its erasure.'),
    status: z
      .string()
      .describe(
        '`completed`, `failed` or `cancelled`; with `include=pending` also `pending`, for an item that is not done.',
      ),
    report: reportComponent.optional().describe('Where the item is completed; equal addresses share one.'),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .meta({ id: 'BulkItemError' })
      .optional()
      .describe('Where the item failed: a code of the problem list, such as `invalid_address`.'),
  })
  .meta({ id: 'BulkResult' })

export const bulkJob = z
  .object({
    job_id: z.string(),
    name: z.string().nullable().optional().describe('Your name of the job; null if it has no name.'),
    status: z
      .string()
      .describe('`queued`, `running`, then `completed`, `completed_with_errors`, `cancelled` or `failed`.'),
    livemode: z.boolean(),
    total: z.int().describe('Items of the job.'),
    completed: z.int().describe('Items with a report.'),
    failed: z.int().describe('Items without one, refused addresses among them.'),
    cancelled: z.int().describe('Items not done when the job was cancelled.'),
    levels: z
      .object({ green: z.int(), orange: z.int(), red: z.int(), grey: z.int() })
      .meta({ id: 'LevelCounts' })
      .describe('How many of the completed items have which level.'),
    created_at: instant.describe('UTC, RFC 3339 with milliseconds.'),
    started_at: instant.nullable().describe('When the first item was decided; null before.'),
    completed_at: instant.nullable().describe('When the job ended, however it did; null before.'),
    results_url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Where the results are, in pages or as a file, also while the job runs.'),
    results: z
      .array(bulkResult)
      .nullable()
      .describe('In the order of the submission; null until the job has ended.'),
  })
  .meta({ id: 'BulkJob' })

export const bulkJobSummary = bulkJob.omit({ started_at: true, results: true }).meta({
  id: 'BulkJobSummary',
  description: 'A job in a list, without its results.',
})

export const resultExample: z.infer<typeof bulkResult> = {
  number: 1,
  address: reportExample.address,
  reference: 'order-4711',
  status: 'completed',
  report: reportExample,
}

export const acceptedExample: z.infer<typeof bulkJob> = {
  job_id: jobIdExample,
  name: 'Customers of November',
  status: 'queued',
  livemode: true,
  ...{ total: 2, completed: 0, failed: 1, cancelled: 0 },
  levels: { green: 0, orange: 0, red: 0, grey: 0 },
  created_at: '2026-11-21T09:00:00.000Z',
  started_at: null,
  completed_at: null,
  results_url: `https://cupel.example.com/v1/bulk/${jobIdExample}/results`,
  results: null,
}

export const endedExample: z.infer<typeof bulkJob> = {
  ...acceptedExample,
  status: 'completed_with_errors',
  completed: 1,
  levels: { green: 0, orange: 0, red: 1, grey: 0 },
  started_at: '2026-11-21T09:00:00.040Z',
  completed_at: '2026-11-21T09:00:00.040Z',
  results: [
    resultExample,
    {
      number: 2,
      address: 'nonsense',
      status: 'failed',
      error: { code: 'invalid_address', detail: 'The address fits no supported chain.' },
    },
  ],
}

export const runningExample: z.infer<typeof bulkJob> = {
  ...acceptedExample,
  status: 'running',
  ...{ total: 1_000, completed: 312, failed: 1, cancelled: 0 },
  levels: { green: 290, orange: 4, red: 2, grey: 16 },
  started_at: '2026-11-21T09:00:00.040Z',
}
