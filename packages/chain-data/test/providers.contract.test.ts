/** Rules that every adapter follows, whatever its protocol. */
import { noMetrics, silentLogger, type ChainFact } from '@cupel/contracts'
import { isLongRun, runSeed } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openChainData, parseConfiguration, type ChainData } from '../src/index.js'
import { NOW_MS, protocols, type Protocol } from './protocols.js'
import { faults, startProviderServer, type Answerer, type ProviderServer } from './provider-server.js'

/** The time limit for answers that never come. */
const HANG_MS = 400
/** Only a hang takes longer, even if the processors are busy. */
const REQUEST_TIMEOUT_MS = 60_000
const LONG_MS = 120_000

let server: ProviderServer
let chainData: ChainData

beforeEach(async () => {
  server = await startProviderServer(() => null)
})

afterEach(async () => {
  await chainData.close()
  await server.close()
})

function open(
  { kind, chain }: Protocol,
  answerer: Answerer,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): ChainData {
  server.answerer = answerer
  const provider = { name: 'p', kind, chain, url: `${server.url}`, query: {}, multichain: true }
  return openChainData({
    providers: parseConfiguration(JSON.stringify({ providers: [provider] })),
    maxAgeMs: 60_000,
    requestTimeoutMs,
    logger: silentLogger,
    metrics: noMetrics,
    now: () => NOW_MS,
  })
}

async function factOf(protocol: Protocol): Promise<ChainFact> {
  const { chain, address } = protocol
  const { facts } = await chainData.look({ accountId: 'a', chain, address }, LONG_MS)
  expect(facts).toHaveLength(1)
  return facts[0]!
}

describe.each(protocols)('a provider of kind $kind', (protocol) => {
  test('tells the state exactly, with the hash of what it answered and a rounded time', async () => {
    chainData = open(protocol, protocol.answerer)
    expect(await factOf(protocol)).toMatchObject({
      ...protocol.expected,
      chain: protocol.chain,
      provider: 'p',
      fetchedAt: '2026-11-21T09:00:00.000Z',
      responseSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      error: null,
    })
  })

  test('never gets to see the address in what is recorded of the question', async () => {
    chainData = open(protocol, protocol.answerer)
    expect((await factOf(protocol)).request).not.toContain(protocol.address)
  })

  test.each(Object.entries(faults))('that %s gives no fact', async (_name, { fault, code }) => {
    chainData = open(protocol, protocol.answerer, code === 'timeout' ? HANG_MS : REQUEST_TIMEOUT_MS)
    server.fault = fault
    expect(await factOf(protocol)).toMatchObject({ error: code, balanceBaseUnits: null, responseSha256: '' })
  })

  test('that serves another chain is found out', async () => {
    chainData = open(protocol, protocol.otherChain)
    expect((await factOf(protocol)).error).toBe('wrong_chain')
  })

  if (protocol.otherAddress !== null)
    test('that answers about another address is found out', async () => {
      chainData = open(protocol, protocol.otherAddress!)
      expect((await factOf(protocol)).error).toBe('wrong_address')
    })

  if (protocol.stale !== null)
    test('that has fallen behind is found out', async () => {
      chainData = open(protocol, protocol.stale!)
      expect((await factOf(protocol)).error).toBe('stale')
    })

  test('that nobody listens for is unreachable', async () => {
    chainData = open(protocol, protocol.answerer)
    await server.close()
    expect((await factOf(protocol)).error).toBe('unreachable')
  })

  test('with one field of a wrong type or range says nothing wrong', async () => {
    const seen = new Set<string>()
    chainData = open(protocol, protocol.answerer)
    await factOf(protocol)
    await chainData.close()
    for (const change of changesOf(protocol)) {
      chainData = open(protocol, change.answerer)
      const fact = await factOf(protocol)
      await chainData.close()
      seen.add(fact.error ?? 'answered')
      // Either the adapter rejects the answer, or the state does not depend on the field.
      if (fact.error === null && !change.isFree) expect(fact, change.name).toMatchObject(protocol.expected)
      else if (fact.error !== null)
        expect(['malformed', 'wrong_chain', 'wrong_address', 'stale', 'refused']).toContain(fact.error)
    }
    if (isLongRun()) expect(seen).toContain('malformed')
  })
})

interface Change {
  readonly name: string
  readonly answerer: Answerer
  /** Whether the value may be a right one. */
  readonly isFree: boolean
}

const wrongValues = [null, -1, 1.5, '', 'x', '0xzz', true, [], {}, '9'.repeat(90), 1e300]

/** Fields for which one of the wrong values is also a right one. */
const freeFields = /executable$/

/** Changes every leaf of every answer, one at a time: to every wrong value in a long run, else to one that the seed draws. */
function* changesOf(protocol: Protocol): Generator<Change> {
  const seed = runSeed()
  for (const [index, path] of leavesOf(protocol).entries()) {
    const drawn = (seed + index) % wrongValues.length
    for (const value of isLongRun() ? wrongValues : [wrongValues[drawn]]) {
      yield {
        name: `${path} = ${JSON.stringify(value)}`,
        answerer: (asked) => replaced(clone(protocol.answerer(asked)), path.split('/'), value),
        isFree: freeFields.test(path),
      }
    }
  }
}

const clone = (answer: unknown): unknown => structuredClone(answer)

function replaced(answer: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || name === undefined) return answer
  const record = answer as Record<string, unknown>
  if (!(name in record)) return answer
  record[name] = rest.length === 0 ? value : replaced(record[name], rest, value)
  return answer
}

/** Paths of leaves over all questions of one state. */
function leavesOf(protocol: Protocol): readonly string[] {
  const paths = new Set<string>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, path === '' ? name : `${path}/${name}`)
    else if (path !== '') paths.add(path)
  }
  for (const asked of server.asked) walk(protocol.answerer(asked), '')
  return [...paths]
}
