/** The problem document as the API description shows it (RFC 9457). */
import { instant, problemCodes, type ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import { problemType, type Refusal } from './problem.js'

export const problemSchema = z
  .object({
    type: z
      .string()
      .describe(
        'Identifies the kind of problem; relative to this service, where it leads to a page about it.',
      ),
    title: z.string().describe('The kind of problem in words.'),
    status: z.int().min(400).max(599).describe('The status of the answer.'),
    detail: z.string().describe('The fault of this request.'),
    code: z
      .string()
      .describe('The kind of problem for programs; one of the published codes, to which others may be added.')
      .meta({ examples: Object.keys(problemCodes) }),
    request_id: z.string().describe('The Request-Id of the answer.'),
    errors: z
      .array(
        z
          .object({
            pointer: z
              .string()
              .describe('JSON Pointer (RFC 6901) to what is at fault; empty for the whole request.'),
            detail: z.string(),
          })
          .meta({ id: 'ProblemError' }),
      )
      .optional()
      .describe('The members that are at fault: with every 400, and with 422 where one member is.'),
    report_id: z
      .string()
      .optional()
      .describe('The id under which the report can be fetched later, where it has one.'),
    archive: z
      .string()
      .optional()
      .describe('With `report_retired`: the archive that has the report, as the operator named it.'),
    month: z
      .string()
      .optional()
      .describe('With `report_retired`: the month (UTC) of the report, such as 2026-01.'),
    cut_at: instant
      .optional()
      .describe('With `report_retired`: when the reports of that month were cut from the log.'),
  })
  .meta({ id: 'Problem' })

const EXAMPLE_REQUEST_ID = '019aa5c2-7c1e-7a52-9d0f-2b8f5f1f6c11'

/** One example for each code. */
export function problemExample(code: ProblemCode): object {
  const { status, title } = problemCodes[code]
  const { detail, at, members, ...rest } = examples[code] ?? { detail: `${title}.` }
  const errors = at === undefined ? rest.errors : [{ pointer: at, detail }]
  return {
    type: problemType(code),
    title,
    status,
    detail,
    code,
    request_id: EXAMPLE_REQUEST_ID,
    ...(errors === undefined ? {} : { errors }),
    ...members,
  }
}

/** `at` points to the one thing that is at fault: its error repeats the detail. */
interface Example extends Omit<Refusal, 'code'> {
  readonly at?: string
}

/** The details of the most common case of each code. A test provokes every case and compares. */
const examples: Readonly<Partial<Record<ProblemCode, Example>>> = {
  invalid_request: {
    detail: 'The request does not have the form this endpoint takes; see errors.',
    errors: [{ pointer: '/addres', detail: 'The field is not known.' }],
  },
  as_of_too_early: { detail: 'At that moment there were no lists yet.', at: '/as_of' },
  transfer_not_found: {
    detail:
      'The ledger has no such transfer of your address in this transaction. State sender, receiver, asset and amount to screen it without the ledger.',
    at: '/transaction_hash',
  },
  transfer_ambiguous: {
    detail:
      'The transaction has 2 such transfers of your address: state the other side or the asset of one. 10 USDT 0x098b716b8aaf21512996dc57eb0615e2383e2f96; 5 USDT 0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae',
    at: '/transaction_hash',
  },
  invalid_address: {
    detail: 'The mixed case of the address does not match its EIP-55 checksum.',
    at: '/address',
  },
  invalid_webhook_url: {
    detail: 'The host is, or resolves to, an address that is not globally reachable.',
    at: '/url',
  },
  too_many_endpoints: { detail: 'An account has at most 10 webhook endpoints.' },
  too_many_shares: { detail: 'A report has at most 50 links that can be used.' },
  too_many_watches: { detail: 'An account of the pro plan has at most 10000 watches.' },
  import_conflict: { detail: 'The status of the import does not allow this; read it again.' },
  key_conflict: { detail: 'A key neither changes nor ends itself; another key does that.' },
  change_conflict: { detail: 'It was refused already.' },
  second_person_required: {
    detail:
      'Two persons make this change: propose it with POST /v1/proposed-changes, and another person confirms it.',
  },
  case_conflict: { detail: 'The report has this disposition already.' },
  report_retired: {
    detail:
      'The reports of 2025-10 left the log on 2026-11-01 for the archive /backup/cupel-archive, which this installation does not read: ask its operator.',
    members: { archive: '/backup/cupel-archive', month: '2025-10', cut_at: '2026-11-01T09:00:00.000Z' },
  },
  version_mismatch: { detail: 'The case is at version 1 now; read it again.' },
  endpoint_disabled: { detail: 'The webhook endpoint is disabled; enable it first.' },
  invalid_key: { detail: 'Send the API key as "Authorization: Bearer <API key>".' },
  scope_required: { detail: 'The API key lacks the scope of this call: read-write.' },
  key_required: { detail: 'A session cannot begin another one; send the API key.' },
  ip_not_allowed: { detail: 'The API key may not be used from this address.' },
  sign_in_refused: {
    detail:
      'You are signed in with the sign-in service, and none of your groups may use this console. Ask the operator of this installation.',
  },
  https_required: { detail: 'Plain HTTP is accepted only from this host and from trusted proxies.' },
  not_found: { detail: 'There is no such report.' },
  method_not_allowed: { detail: 'This path takes POST, OPTIONS.' },
  not_acceptable: {
    detail:
      'Results are application/json, application/x-ndjson, text/csv or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.',
  },
  idempotency_in_progress: {
    detail: 'The first request with this Idempotency-Key is still being answered.',
  },
  job_not_ended: { detail: 'The job is still running; its summary is made of all its results.' },
  request_timeout: { detail: 'The request did not arrive in time.' },
  head_too_large: { detail: 'The head of the request is too large.' },
  payload_too_large: { detail: 'The body may hold 1048576 bytes.' },
  unsupported_media_type: { detail: 'Content-Type must be application/json.' },
  unsupported_chain: {
    detail: 'The chain is not one of the supported chains; GET /v1/chains lists them.',
    at: '/chain',
  },
  chain_mismatch: {
    detail: 'The address is not of ETH; it fits BTC.',
    at: '/chain',
  },
  idempotency_mismatch: { detail: 'This Idempotency-Key was used with another request.' },
  rate_limited: { detail: 'The API key has no calls left at the moment.' },
  too_many_streams: { detail: 'The API key has 16 event streams open; close one first.' },
  too_many_jobs: { detail: 'The account has 1 of 1 jobs open, and 2 of 250000 addresses wait in them.' },
  too_many_failures: {
    detail: 'Too many calls from this address failed to authenticate within a minute.',
  },
  internal_error: { detail: 'The call failed unexpectedly. Quote the request id when you report it.' },
  screening_failed: {
    detail: 'The screening ended without a report.',
    members: { report_id: '9f2c4a1be07d6358' },
  },
  screening_timeout: {
    detail: 'The report was not ready in time; it can be fetched by its report_id.',
    members: { report_id: '9f2c4a1be07d6358' },
  },
  screening_pending: {
    detail: 'The screening is still running.',
    members: { report_id: '9f2c4a1be07d6358' },
  },
  unavailable: { detail: 'API keys cannot be checked right now.' },
}
