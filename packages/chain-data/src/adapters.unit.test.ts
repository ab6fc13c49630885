/** An adapter refuses any wrong answer with its own error text. */
import { isDeepStrictEqual } from 'node:util'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NOW_MS, protocols, type Protocol } from '../test/protocols.js'
import type { Asked } from '../test/provider-server.js'
import type { ProviderHttp } from './provider-http.js'
import { adapterOf } from './open-provider.js'
import type { ChainProvider } from './provider.js'
import { ProviderError } from './provider-error.js'

const FULL = 1_000
const MINIMUM = 100

/** A conversation without a network: each question is answered by `answer`. */
function httpOf(answer: (asked: Asked) => unknown): ProviderHttp {
  const ask = async (method: string, path: string, query: object, body: unknown): Promise<unknown> => {
    const url = new URL(`http://provider${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return answer({
      method,
      url,
      headers: {},
      body: body === undefined ? undefined : (structuredClone(body) as unknown),
    })
  }
  return {
    getJson: (path, query = {}) => ask('GET', path, query, undefined),
    getText: async (path) => {
      const text = await ask('GET', path, {}, undefined)
      return typeof text === 'string' ? text : JSON.stringify(text)
    },
    postJson: (path, body) => ask('POST', path, {}, body),
    responseSha256: () => '',
  }
}

const adapterFor = ({ kind, chain }: Protocol): ChainProvider =>
  adapterOf({ kind, chain: chain as ChainProvider['chain'], multichain: true }, () => NOW_MS)

/** Throws any error that is not the adapter's own. */
async function outcome(protocol: Protocol, http: ProviderHttp): Promise<'answered' | 'refused'> {
  try {
    await adapterFor(protocol).accountState(protocol.address, http)
    return 'answered'
  } catch (error) {
    if (error instanceof ProviderError) return 'refused'
    throw error
  }
}

describe.each(protocols)('an adapter of kind $kind', (protocol) => {
  test('is answered anything at all', async () => {
    const anything = fc.jsonValue({ maxDepth: 4 })
    await assertWithin(
      { name: `${protocol.kind}: anything`, full: FULL, minimum: MINIMUM },
      fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 4 }), async (answers) => {
        let next = 0
        await outcome(
          protocol,
          httpOf(() => answers[next++ % answers.length]),
        )
      }),
    )
  })

  test('is answered in its own form with anything at one place', async () => {
    let isRefusedOnce = false
    await assertWithin(
      { name: `${protocol.kind}: one wrong place`, full: FULL, minimum: MINIMUM },
      fc.asyncProperty(fc.nat(), fc.jsonValue({ maxDepth: 2 }), async (place, anything) => {
        const http = httpOf((asked) => replacedAt(protocol.answerer(asked), place, anything))
        isRefusedOnce ||= (await outcome(protocol, http)) === 'refused'
      }),
    )
    expect(isRefusedOnce).toBe(true)
  })
})

/** The answer with one of its values replaced; places are counted depth first and wrap around. */
function replacedAt(answer: unknown, place: number, value: unknown): unknown {
  const places = countPlaces(answer)
  let left = place % places
  const walk = (node: unknown): unknown => {
    if (left-- === 0) return value
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(answer)
}

function countPlaces(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1
  return Object.values(node).reduce((sum: number, inner) => sum + countPlaces(inner), 1)
}

test('the places of an answer are each replaced once', () => {
  const answer = { a: [1, { b: 2 }], c: 'x' }
  const seen = Array.from({ length: countPlaces(answer) }, (_, place) => replacedAt(answer, place, null))
  expect(seen).toHaveLength(6)
  expect(seen.filter((one) => isDeepStrictEqual(one, answer))).toEqual([])
})
