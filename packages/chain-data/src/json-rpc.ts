/** JSON-RPC 2.0 over HTTP, several calls in one message (https://www.jsonrpc.org/specification). */
import { z } from 'zod'
import type { ProviderHttp } from './provider-http.js'
import { readAnswer } from './answer-fields.js'
import { ProviderError } from './provider-error.js'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The outcome of a call: its result, or the server's error. */
export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number }

const replySchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.int().nullable(),
  result: z.unknown().optional(),
  error: z.object({ code: z.int() }).nullish(),
})

/** Error codes of servers for too many calls. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([-32005, -32016, -32029, 429])

/** Sends all calls in one message; one outcome per call, in their order. */
export async function callAll(http: ProviderHttp, calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
  const message = calls.map(({ method, params }, index) => ({
    jsonrpc: '2.0',
    id: index + 1,
    method,
    params,
  }))
  const answer = await http.postJson('', message)
  if (!Array.isArray(answer)) throw notABatch(answer)
  const replies = readAnswer(z.array(replySchema).length(calls.length), answer, 'batch')
  const byId = new Map(replies.map((reply) => [reply.id, reply]))
  return calls.map((_call, index) => {
    const reply = byId.get(index + 1)
    if (reply === undefined) throw new ProviderError('malformed', 'an answer to another call')
    return outcomeOf(reply)
  })
}

/** Sends one call by itself: services that keep old blocks refuse several in one message. */
export async function callOne(http: ProviderHttp, call: RpcCall): Promise<RpcOutcome> {
  const answer = await http.postJson('', { jsonrpc: '2.0', id: 1, ...call })
  return outcomeOf(readAnswer(replySchema, answer, call.method))
}

function outcomeOf({ error, result }: z.output<typeof replySchema>): RpcOutcome {
  if (error !== null && error !== undefined) {
    if (RATE_LIMIT_CODES.has(error.code)) throw new ProviderError('rate_limited', `code ${error.code}`)
    return { ok: false, code: error.code }
  }
  return { ok: true, result }
}

/** A server that rejects the whole message answers with one object. */
function notABatch(answer: unknown): ProviderError {
  const read = z.object({ error: z.object({ code: z.int() }) }).safeParse(answer)
  const code = read.success ? read.data.error.code : undefined
  if (code === undefined) return new ProviderError('malformed', 'no batch')
  return RATE_LIMIT_CODES.has(code)
    ? new ProviderError('rate_limited', `code ${code}`)
    : new ProviderError('refused', `code ${code}`)
}

/** The result of a call that must succeed. */
export function resultOf<T extends z.ZodType>(
  outcome: RpcOutcome | undefined,
  schema: T,
  method: string,
): z.output<T> {
  if (outcome === undefined || !outcome.ok)
    throw new ProviderError('refused', `${method}: code ${outcome === undefined ? 'none' : outcome.code}`)
  return readAnswer(schema, outcome.result, method)
}
