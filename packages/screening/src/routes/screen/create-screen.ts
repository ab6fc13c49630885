/** POST /v1/screen: one address in, its report out. */
import { reportExample } from '@cupel/contracts'
import type { ReportIds } from '@cupel/gate/access'
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
  type Answer,
  type Endpoint,
  type Judgement,
  type KeyedCall,
  isRefusal,
  refuse,
  type Refusal,
  MAX_WAIT_SECONDS,
  preferredWait,
  statuses,
  chainCode,
  MAX_REFERENCE_LENGTH,
  orAbsent,
  text,
  moment,
} from '@cupel/gate/http'
import { lateOf, sandboxScript } from '../sandbox/sandbox-script.js'
import type { AsOfScreens } from '../calls/as-of-screens.js'
import { REPLAY_WAIT_MS, type ReportReader, reportComponent } from '@cupel/reports/routes'
import { answerOf, asReport, replayOf } from '../calls/screen-answers.js'
import type { Screens } from '../calls/screens.js'
import { asOfAnswer, asOfComponent } from './as-of-description.js'

/** Other screens as of a past moment have usually ended by then. */
const AS_OF_RETRY_SECONDS = 2

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
    as_of: orAbsent(moment).describe(
      'A past moment, RFC 3339. The answer is then an `AsOfScreening`: what lists, policy and ledger of that moment say. No report is made.',
    ),
  })
  .meta({ id: 'ScreenRequest' })
type ScreenBody = z.infer<typeof screenBody>

export const PREFER = {
  description: `RFC 7240. \`wait=n\` asks to wait up to n seconds, ${MAX_WAIT_SECONDS} at most, for stages of the screening that are late, such as the search of the ledger. What is still missing then is named in \`coverage.missing_stages\`. A preference that cannot be read, or that the service has no room for, is ignored: then the answer has no \`Preference-Applied\`.`,
  schema: z.string(),
  example: 'wait=10',
}

export interface ScreenParts {
  readonly screens: Screens
  readonly reports: ReportReader
  readonly reportIds: Pick<ReportIds, 'next'>
  readonly asOfScreens: AsOfScreens
}

export function createScreen({ screens, reports, reportIds, asOfScreens }: ScreenParts): Endpoint {
  return keyedEndpoint<undefined, undefined, ScreenBody, ScreenedAddress>({
    operationId: 'createScreen',
    method: 'POST',
    path: '/v1/screen',
    tag: 'Screens',
    summary: 'Screen one address',
    description:
      'Screens an address and returns its report. Every call makes a new report, unless it repeats an earlier one under the same `Idempotency-Key`: then the report of that one is returned, for 24 hours, with `Idempotency-Replayed: true`. Where the report is not ready before the deadline, the answer is 503 `screening_timeout` with the `report_id`: the screening goes on, and the report can be fetched by that id, or by repeating the call under its `Idempotency-Key`. With `as_of` no report is made, and the call does not count in the usage: the answer is decided from lists, policy and ledger as they were at that moment, and from nothing that providers say of the chain. A repeat is decided again from the same moment.',
    headers: { Prefer: PREFER },
    access: 'read-write',
    goesFirst: true,
    bodySchema: screenBody,
    bodyExample: { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH' },
    answers: [
      {
        status: statuses.ok,
        description: 'The report; with `as_of` an `AsOfScreening`, which has no path.',
        contentType: 'application/json',
        // A client that never sends as_of gets only reports, as before.
        schema: z.union([asOfComponent, reportComponent]),
        headers: {
          Location: { description: 'Path of the report.', schema: z.string(), optional: true },
          'Preference-Applied': {
            description: 'The wait that was granted, such as `wait=10`.',
            schema: z.string(),
            optional: true,
          },
        },
        example: reportExample,
      },
    ],
    problems: [
      'invalid_address',
      'unsupported_chain',
      'chain_mismatch',
      'as_of_too_early',
      'screening_failed',
      'screening_timeout',
      'unavailable',
    ],
    judge: ({ body }) => judgeMoment(body, asOfScreens) ?? judgeAddress(body),
    idempotency: {
      newWorkId: () => reportIds.next(),
      async replay(call, reportId, { body, judged }) {
        if (body.as_of === undefined)
          return replayOf(await reports.find(call.caller, reportId, REPLAY_WAIT_MS), reportId, asReport)
        // The past does not change, so the answer is computed again.
        const again = await screenAsOf(asOfScreens, call, body, judged)
        return isRefusal(again) ? { kind: 'unknown-yet', refusal: again } : { kind: 'answer', answer: again }
      },
    },
    async handle(call, { body, judged }) {
      const script = sandboxScript(call.caller, judged.canonicalAddress)
      if (script.kind === 'refusal') return script.refusal
      await script.delay
      if (body.as_of !== undefined) return await screenAsOf(asOfScreens, call, body, judged)
      const { customer_reference: reference } = body
      const [customerReference = null] =
        reference === undefined ? [] : await call.seal.sealReferences([reference])
      const waitSeconds = preferredWait(call.headers)
      const result = await screens.screen({ call, ...judged, customerReference, waitSeconds })
      return answerOf(script.kind === 'late' ? lateOf(result) : result, asReport)
    },
  })
}

/** Null if the moment is absent or past. */
function judgeMoment({ as_of: asOf }: ScreenBody, { now }: Pick<AsOfScreens, 'now'>): Refusal | null {
  if (asOf === undefined || Date.parse(asOf) <= now().getTime()) return null
  const detail = 'The moment lies in the future.'
  return refuse('invalid_request', detail, { errors: [{ pointer: '/as_of', detail }] })
}

/** The one place where the address of a screen is parsed. */
function judgeAddress({ address, chain }: ScreenBody): Judgement<ScreenedAddress> | Refusal {
  const parsed = parseAddress(address, chain)
  if (parsed.ok) return { judged: screenedAddress(parsed) }
  const { code, detail } = parsed
  const pointer = code === 'invalid_address' ? '/address' : '/chain'
  return refuse(code, detail, { errors: [{ pointer, detail }] })
}

async function screenAsOf(
  screens: AsOfScreens,
  { caller }: KeyedCall,
  { as_of: asOf, customer_reference: reference }: ScreenBody,
  screened: ScreenedAddress,
): Promise<Answer | Refusal> {
  const order = { ...screened, caller, customerReference: reference ?? null, asOf: asOf! }
  const outcome = await screens.screen(order)
  switch (outcome.kind) {
    case 'screened':
      return jsonAnswer(statuses.ok, JSON.stringify(asOfAnswer(outcome.screening)))
    case 'not-yet': {
      const detail = `At that moment there ${outcome.missing === 'lists' ? 'were no lists' : 'was no policy'} yet.`
      return refuse('as_of_too_early', detail, { errors: [{ pointer: '/as_of', detail }] })
    }
    case 'unavailable':
      return refuse('unavailable', outcome.because, { retryAfterSeconds: AS_OF_RETRY_SECONDS })
  }
}
