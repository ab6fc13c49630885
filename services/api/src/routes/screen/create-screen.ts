/** POST /v1/screen: one address in, its report out. */
import type { ReportIds } from '@cupel/access'
import {
  MAX_ADDRESS_LENGTH,
  parseAddress,
  screenedAddress,
  withoutApiKeys,
  type ScreenedAddress,
} from '@cupel/domain'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  recorded,
  type Answer,
  type Endpoint,
  type Judgement,
  type Replay,
} from '../../http/endpoint.js'
import { refuse, type Refusal } from '../../http/problem.js'
import { statuses } from '../../http/status.js'
import { chainCode, MAX_REFERENCE_LENGTH, orAbsent, text } from '../../http/text.js'
import { lateOf, sandboxScript } from '../../sandbox/sandbox-script.js'
import { REPLAY_WAIT_MS, type FoundReport, type ReportReader } from '../../screening/report-reader.js'
import type { RefusedBecause, Screens, ScreenResult } from '../../screening/screens.js'
import { reportComponent, reportExample } from '../reports/report-description.js'

/** A late report is usually there by then. */
const LATE_RETRY_SECONDS = 1

const screenBody = z
  .strictObject({
    // parseAddress checks the length, so that every faulty address is the same problem.
    address: z
      .string()
      .meta({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[!-~]*$' })
      .describe(
        'The address to screen, in any form that its chain allows. The report repeats it exactly as sent.',
      ),
    chain: chainCode.describe(
      'Chain code, in any case; absent or null: the chain is detected from the address.',
    ),
    customer_reference: orAbsent(
      text(MAX_REFERENCE_LENGTH)
        // The report, and the logs of its readers, would contain it.
        .refine((reference) => withoutApiKeys(reference) === reference, {
          error: 'This looks like an API key',
        }),
    ).describe('Your own reference, returned in the report; null is the same as none.'),
  })
  .meta({ id: 'ScreenRequest' })
type ScreenBody = z.infer<typeof screenBody>

export function createScreen(
  screens: Screens,
  reports: ReportReader,
  reportIds: Pick<ReportIds, 'next'>,
): Endpoint {
  return keyedEndpoint<undefined, undefined, ScreenBody, ScreenedAddress>({
    operationId: 'createScreen',
    method: 'POST',
    path: '/v1/screen',
    tag: 'Screens',
    summary: 'Screen one address',
    description:
      'Screens an address and returns its report. Every call makes a new report, unless it repeats an earlier one under the same `Idempotency-Key`: then the report of that one is returned, for 24 hours, with `Idempotency-Replayed: true`. Where the report is not ready before the deadline, the answer is 503 `screening_timeout` with the `report_id`: the screening goes on, and the report can be fetched by that id, or by repeating the call under its `Idempotency-Key`.',
    access: 'read-write',
    bodySchema: screenBody,
    bodyExample: { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH' },
    answers: [
      {
        status: statuses.ok,
        description: 'The report.',
        contentType: 'application/json',
        schema: reportComponent,
        headers: { Location: { description: 'Path of the report.', schema: z.string() } },
        example: reportExample,
      },
    ],
    problems: [
      'invalid_address',
      'unsupported_chain',
      'chain_mismatch',
      'screening_failed',
      'screening_timeout',
      'unavailable',
    ],
    judge: ({ body }) => judgeAddress(body),
    idempotency: {
      newWorkId: () => reportIds.next(),
      replay: async ({ caller }, reportId) =>
        replayOf(await reports.find(caller, reportId, REPLAY_WAIT_MS), reportId),
    },
    async handle(call, { body, judged }) {
      const script = sandboxScript(call.caller, judged.canonicalAddress)
      if (script.kind === 'refusal') return script.refusal
      await script.delay
      const result = await screens.screen({
        call,
        ...judged,
        customerReference: body.customer_reference ?? null,
      })
      return answerOf(script.kind === 'late' ? lateOf(result) : result)
    },
  })
}

/** The one place where the address of a screen is parsed. */
function judgeAddress({ address, chain }: ScreenBody): Judgement<ScreenedAddress> | Refusal {
  const parsed = parseAddress(address, chain)
  if (parsed.ok) return { judged: screenedAddress(parsed) }
  const { code, detail } = parsed
  const pointer = code === 'invalid_address' ? '/address' : '/chain'
  return refuse(code, detail, { errors: [{ pointer, detail }] })
}

function replayOf(found: FoundReport, reportId: string): Replay {
  switch (found.kind) {
    case 'report':
      return { kind: 'answer', answer: reportAnswer(reportId, found.document) }
    case 'failed':
      return { kind: 'failed' }
    case 'behind':
      return {
        kind: 'unknown-yet',
        refusal: refuse('unavailable', 'Whether an earlier call was answered is not known yet.', {
          members: { report_id: reportId },
          retryAfterSeconds: LATE_RETRY_SECONDS,
        }),
      }
    case 'pending':
    case 'unknown':
      return { kind: 'none' }
  }
}

function reportAnswer(reportId: string, document: string): Answer {
  return jsonAnswer(statuses.ok, document, { location: `/v1/reports/${reportId}` })
}

function answerOf(result: ScreenResult): Answer | Refusal {
  const { reportId } = result
  const members = reportId === null ? {} : { report_id: reportId }
  if ('refused' in result) return refuse('unavailable', notAccepted[result.refused], { members })
  const { outcome, isRecorded } = result
  switch (outcome.kind) {
    case 'report': {
      const answer = reportAnswer(result.reportId, outcome.document)
      return isRecorded ? recorded(answer) : answer
    }
    case 'failed':
      return refuse('screening_failed', 'The screening ended without a report.', { members })
    case 'late':
      return refuse(
        'screening_timeout',
        'The report was not ready in time; it can be fetched by its report_id.',
        {
          members,
          headers: { location: `/v1/reports/${reportId}` },
          retryAfterSeconds: LATE_RETRY_SECONDS,
        },
      )
    case 'deferred':
      return refuse('unavailable', 'The screening begins when the service has recovered.', {
        members,
        headers: { location: `/v1/reports/${reportId}` },
        retryAfterSeconds: LATE_RETRY_SECONDS,
      })
    case 'unknown':
      return refuse('unavailable', 'Whether the screen was accepted is not known yet.', {
        members,
        retryAfterSeconds: LATE_RETRY_SECONDS,
      })
  }
}

const notAccepted: Readonly<Record<RefusedBecause, string>> = {
  not_ready: 'This instance is starting or stopping.',
  overloaded: 'More screens are waiting than can be answered in time; this one was not accepted.',
}
