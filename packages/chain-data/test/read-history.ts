/** Reads a history from a stand-in without a network. */
import { renderAnswer, type StandIn } from '@cupel/testkit/providers'
import { parse } from 'lossless-json'
import {
  MAX_HISTORY_RESPONSE_BYTES,
  ProviderError,
  type HistoryEnd,
  type HistorySource,
  type ProviderHttp,
} from '../src/index.js'

export interface ReadHistory {
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  readonly pages: number
  readonly end: HistoryEnd
}

/** Calls that the stand-in answers, with the faults of HTTP that a caller of it sees. */
export function standInHttp(standIn: StandIn, maxBytes = MAX_HISTORY_RESPONSE_BYTES): ProviderHttp {
  const ask = async (
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    body: unknown,
  ): Promise<string> => {
    const url = new URL(`http://provider/api${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const asked = body === undefined ? undefined : (structuredClone(body) as unknown)
    const answer = standIn({ method, url, body: asked })
    if (answer.status === 429) throw new ProviderError('rate_limited', '429')
    if (answer.status >= 500) throw new ProviderError('http_status', String(answer.status))
    if (answer.status >= 400) throw new ProviderError('refused', String(answer.status))
    const text = renderAnswer(answer.body)
    if (Buffer.byteLength(text) > maxBytes) throw new ProviderError('too_large', 'the answer')
    return text
  }
  const exact = (digits: string): number | bigint =>
    Number.isSafeInteger(Number(digits)) || !/^-?\d+$/.test(digits) ? Number(digits) : BigInt(digits)
  const json = (text: string): unknown => {
    try {
      return parse(text, undefined, { parseNumber: exact })
    } catch {
      throw new ProviderError('malformed', 'the answer is not JSON')
    }
  }
  return {
    getJson: async (path, query = {}) => json(await ask('GET', path, query, undefined)),
    getText: (path) => ask('GET', path, {}, undefined),
    postJson: async (path, body) => json(await ask('POST', path, {}, body)),
    responseSha256: () => '',
  }
}

export async function readHistory(
  source: HistorySource,
  address: string,
  http: ProviderHttp,
  fromHeight: number | null = null,
): Promise<ReadHistory> {
  const lines: Readonly<Record<string, unknown>>[] = []
  const pages = source.read(address, { fromHeight, http })
  let read = 0
  for (;;) {
    const step = await pages.next()
    if (step.done === true) return { lines, pages: read, end: step.value }
    read = step.value.pages
    lines.push(...step.value.lines)
  }
}
