/** The problem document as the API description shows it (RFC 9457). */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import { problemType, type Refusal } from './problem.js'

export const problemSchema = z
  .object({
    type: z.string().describe('Identifies the kind of problem.'),
    title: z.string().describe('The kind of problem in words.'),
    status: z.int().min(400).max(599).describe('The status of the answer.'),
    detail: z.string().describe('What is wrong with this request.'),
    code: z
      .string()
      .describe(
        'The kind of problem for programs; one of the published codes, to which others may be added.',
      ),
    request_id: z.string().describe('The Request-Id of the answer.'),
    errors: z
      .array(
        z.object({
          pointer: z
            .string()
            .describe('JSON Pointer (RFC 6901) to what is at fault; empty for the whole body.'),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('What exactly is at fault, with 400 and 422.'),
    report_id: z
      .string()
      .optional()
      .describe('The id under which the report can be fetched later, where it has one.'),
  })
  .meta({ id: 'Problem' })

const EXAMPLE_REQUEST_ID = '019aa5c2-7c1e-7a52-9d0f-2b8f5f1f6c11'

/** One example for each code; details are those of the code's most common cause. */
export function problemExample(code: ProblemCode): object {
  const { status, title } = problemCodes[code]
  const { detail, errors, members } = examples[code] ?? { detail: `${title}.` }
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

const examples: Readonly<Partial<Record<ProblemCode, Omit<Refusal, 'code'>>>> = {
  invalid_request: {
    detail: 'The request does not have the form this endpoint takes; see errors.',
    errors: [{ pointer: '/addres', detail: 'The field is not known.' }],
  },
  invalid_address: {
    detail: 'The mixed case of the address does not match its EIP-55 checksum.',
    errors: [
      { pointer: '/address', detail: 'The mixed case of the address does not match its EIP-55 checksum.' },
    ],
  },
  unsupported_chain: {
    detail: 'The chain is not one of the supported chains; GET /v1/chains lists them.',
    errors: [
      {
        pointer: '/chain',
        detail: 'The chain is not one of the supported chains; GET /v1/chains lists them.',
      },
    ],
  },
  chain_mismatch: {
    detail: 'The address is not of BTC; it fits ETH.',
    errors: [{ pointer: '/chain', detail: 'The address is not of BTC; it fits ETH.' }],
  },
  screening_timeout: {
    detail: 'The report was not ready in time; it can be fetched by its report_id.',
    members: { report_id: '9f2c4a1be07d6358' },
  },
  screening_pending: {
    detail: 'The screening is still running.',
    members: { report_id: '9f2c4a1be07d6358' },
  },
}
