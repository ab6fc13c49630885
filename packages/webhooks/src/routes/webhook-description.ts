/**
 * The messages that the webhook endpoints of an account receive, for the section `webhooks` of the API description. The bodies are those
 * of `@cupel/domain`; a test checks them against these schemas.
 */
import { instant } from '@cupel/contracts'
import { webhookTypes, type WebhookType } from '@cupel/domain'
import { transferComponent, transferExample } from '@cupel/reports/document'
import { z } from 'zod'
import { bulkResult, endedExample } from '@cupel/bulk/routes'

export interface DescribedWebhook {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly schema: z.ZodType
  readonly example: object
}

const reportSummary = z
  .object({ report_id: z.string(), level: z.string(), score: z.number() })
  .meta({ id: 'ToldReport' })

const resultSummary = z
  .object({
    number: z.int().min(1),
    address: z.string(),
    reference: z.string().optional(),
    status: z.string(),
    report_id: z.string().nullable(),
    level: z.string().nullable(),
    score: z.number().nullable(),
  })
  .meta({ id: 'ToldResult' })

const endedJob = z
  .object({
    job_id: z.string(),
    name: z.string().nullable().describe('Null if the job has no name.'),
    livemode: z.boolean().describe('False for the sandbox.'),
    status: z.string().describe('`completed`, `completed_with_errors`, `cancelled` or `failed`.'),
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    results_url: z.string().meta({ format: 'uri' }),
    results: z
      .array(z.union([resultSummary, bulkResult]))
      .optional()
      .describe(
        'Absent where the endpoint has the payload `thin`; without reports where the message would be larger than 4 MiB.',
      ),
  })
  .meta({ id: 'EndedJob' })

const levelReason = z
  .object({
    code: z.string().describe('A code of `risk.level_reasons` of the report.'),
    text: z.string().describe('Its text, and the remedy.'),
  })
  .meta({ id: 'LevelReason' })

const changedReport = z
  .object({
    watch_id: z.string(),
    address: z.string(),
    chain: z.string(),
    reference: z.string().nullable(),
    previous: reportSummary,
    current: reportSummary,
    why: z
      .string()
      .describe('Why the current report has its level, in words. Empty for a change of an earlier version.'),
    reasons: z
      .array(levelReason)
      .describe('Why the current report is grey, each reason with its remedy; empty for other levels.'),
    causes: z
      .array(z.string())
      .describe('`created`, `labels`, `ledger`, `policy` or `scorer`; others may be added.'),
    split: z
      .record(z.string(), z.number())
      .nullable()
      .describe('The points of the difference by part; null if they were not computed.'),
    split_missing: z
      .string()
      .nullable()
      .describe('Why there is no split: `busy`, `unreadable` or `refused`.'),
  })
  .meta({ id: 'ChangedReport' })

const digest = z
  .object({
    day: z.string().describe('UTC, YYYY-MM-DD.'),
    from: instant,
    until: instant,
    watched: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    undecided: z.int().describe('Watches without any report yet.'),
    unknown: z
      .int()
      .describe(
        'Watches without a known change whose last screening failed, or whose next one is due or has not ended. They do not count as unchanged.',
      ),
    failing: z.int().describe('Watches whose last screenings ended without a report.'),
    changes: z.array(
      z
        .object({
          watch_id: z.string(),
          address: z.string(),
          chain: z.string(),
          previous: reportSummary,
          current: reportSummary,
        })
        .meta({ id: 'DigestedReport' }),
    ),
    more: z.string().nullable().describe('Path of the list of all changes, where `changes` has not all.'),
    failures: z.array(
      z
        .object({ watch_id: z.string(), address: z.string(), chain: z.string(), failures: z.int() })
        .meta({ id: 'FailingScreening' }),
    ),
  })
  .meta({ id: 'DigestOfWatches' })

const failedWatch = z
  .object({
    watch_id: z.string(),
    address: z.string(),
    chain: z.string(),
    reference: z.string().nullable(),
    report_id: z
      .string()
      .describe('Id of the third screening. There is a report only if a stage of it was missing.'),
    failures: z.int().describe('Screenings in a row that ended without a whole report.'),
  })
  .meta({ id: 'FailedWatch' })

const screenedTransfer = z
  .object({
    transfer_id: z.string().describe('Also the id of the report of the counterparty.'),
    livemode: z.boolean().describe('False for the sandbox.'),
    status: z.string().describe('`completed`, or `failed` if it could not be screened.'),
    recommendation: z
      .string()
      .nullable()
      .describe('`allow`, `review` or `reject`; null if it could not be screened.'),
    level: z.string().nullable().describe('Level of the counterparty.'),
    score: z.number().nullable(),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .meta({ id: 'TransferError' })
      .nullable()
      .describe('Why it could not be screened; null if it was.'),
    transfer_path: z.string().describe('Path of the transfer.'),
    transfer: transferComponent
      .optional()
      .describe('Absent if the endpoint has the payload `thin`, or the transfer could not be screened.'),
  })
  .meta({ id: 'ScreenedTransfer' })

function message(type: WebhookType, id: string, data: z.ZodType): z.ZodType {
  return z
    .object({
      type: z.literal(type),
      timestamp: instant.describe('When it happened; equal in every attempt.'),
      data,
    })
    .meta({ id })
}

const { job_id, name, livemode, status, total, completed, failed, cancelled, results_url, results } =
  endedExample
const timestamp = endedExample.completed_at
const jobExample = { job_id, name, livemode, status, total, completed, failed, cancelled, results_url }
const watchExample = {
  ...{ watch_id: 'wat_0a1b2c3d4e5f60718293', address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' },
  chain: 'ETH',
}
const previous = { report_id: '622f9400217f0c00', level: 'grey', score: 0 }
const current = { report_id: '9f2c4a1be07d6358', level: 'red', score: 95 }

export const describedWebhooks: Readonly<Record<WebhookType, DescribedWebhook>> = {
  'bulk.completed': {
    operationId: 'onBulkCompleted',
    summary: 'A job has ended',
    description: 'Every item of a job has its outcome.',
    schema: message('bulk.completed', 'BulkCompletedWebhook', endedJob),
    example: { type: 'bulk.completed', timestamp, data: { ...jobExample, results } },
  },
  'bulk.cancelled': {
    operationId: 'onBulkCancelled',
    summary: 'A job was cancelled',
    description: 'A job was cancelled before all of its items were done.',
    schema: message('bulk.cancelled', 'BulkCancelledWebhook', endedJob),
    example: {
      type: 'bulk.cancelled',
      timestamp,
      data: { ...jobExample, status: 'cancelled', cancelled: 1 },
    },
  },
  'report.changed': {
    operationId: 'onReportChanged',
    summary: 'The report of a watched address changed',
    description: 'The level changed, or the score moved by at least the threshold of the watch.',
    schema: message('report.changed', 'ReportChangedWebhook', changedReport),
    example: {
      ...{ type: 'report.changed', timestamp },
      data: {
        ...{ ...watchExample, reference: 'order-4711', previous, current, causes: ['labels'] },
        ...{ why: 'listed by OFAC as Lazarus Group, designated 2022-04-14', reasons: [] },
        split: { labels: 95, funds: 0, policy: 0, scorer: 0, time: 0, not_examined: 0 },
        split_missing: null,
      },
    },
  },
  'watches.digest': {
    operationId: 'onWatchesDigest',
    summary: 'The daily digest of the watches',
    description: 'The changes of a day among the watches that are part of the digest.',
    schema: message('watches.digest', 'WatchesDigestWebhook', digest),
    example: {
      ...{ type: 'watches.digest', timestamp },
      data: {
        ...{ day: '2026-11-21', from: '2026-11-20T06:00:00.000Z', until: '2026-11-21T06:00:00.000Z' },
        ...{ watched: 12, changed: 1, unchanged: 10, undecided: 0, unknown: 1, failing: 0 },
        ...{ changes: [{ ...watchExample, previous, current }], more: null, failures: [] },
      },
    },
  },
  'watch.failed': {
    operationId: 'onWatchFailed',
    summary: 'A watched address cannot be screened',
    description:
      'Three screenings of a watch in a row ended without a whole report: its present level is not known. A longer row is not told again.',
    schema: message('watch.failed', 'WatchFailedWebhook', failedWatch),
    example: {
      ...{ type: 'watch.failed', timestamp },
      data: { ...watchExample, reference: null, report_id: '9f2c4a1be07d6358', failures: 3 },
    },
  },
  'transfer.screened': {
    operationId: 'onTransferScreened',
    summary: 'The screening of a transfer ended',
    description:
      'Once for each transfer, with or without a recommendation, also if its POST has answered. An endpoint for Slack or e-mail gets it only if its `events` name it.',
    schema: message('transfer.screened', 'TransferScreenedWebhook', screenedTransfer),
    example: {
      ...{ type: 'transfer.screened', timestamp: transferExample.generated_at },
      data: {
        ...{ transfer_id: transferExample.transfer_id, livemode: true, status: 'completed' },
        ...{ recommendation: transferExample.recommendation, level: transferExample.level },
        ...{ score: transferExample.score, error: null },
        transfer_path: `/v1/transfers/${transferExample.transfer_id}`,
        transfer: transferExample,
      },
    },
  },
  'endpoint.test': {
    operationId: 'onEndpointTest',
    summary: 'A test message',
    description: 'Sent after the creation of an endpoint, after a change of its URL, and on request.',
    schema: message(
      'endpoint.test',
      'EndpointTestWebhook',
      z.object({ endpoint_id: z.string() }).meta({ id: 'TestedEndpoint' }),
    ),
    example: {
      ...{ type: 'endpoint.test', timestamp },
      data: { endpoint_id: 'we_0a1b2c3d4e5f60718293' },
    },
  },
}

/** In the order in which the domain lists them. */
export const webhooksInOrder = webhookTypes.map((type) => ({ type, ...describedWebhooks[type] }))
