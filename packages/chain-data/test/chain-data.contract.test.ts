/** Queries to providers: they run together, within a time limit, separately for each account, and pause for a failing provider. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { PATIENCE_MS } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openChainData, parseConfiguration, type ChainData } from '../src/index.js'
import {
  FAILURES_TO_OPEN,
  MAX_CONCURRENT_QUESTIONS,
  MAX_WAITING_QUESTIONS,
  OPEN_FOR_MS,
} from '../src/guard.js'
import { NEWEST_ANSWERS } from '../src/open-chain-data.js'
import { evmRpc, NOW_MS, rpcAnswerer } from './protocols.js'
import { startProviderServer, type Fault, type ProviderServer } from './provider-server.js'

const ADDRESS = '0x6bd0b42faf093541b31f94a041774d5eb30906ad'
const OTHER = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
const LONG_MS = 15_000

let first: ProviderServer
let second: ProviderServer
let chainData: ChainData
let nowMs: number

beforeEach(async () => {
  nowMs = NOW_MS
  first = await startProviderServer(evmRpc())
  second = await startProviderServer(evmRpc())
})

afterEach(async () => {
  await chainData.close()
  await first.close()
  await second.close()
})

function open(servers: readonly ProviderServer[], requestTimeoutMs = LONG_MS): void {
  const providers = servers.map((server, index) => ({
    name: `p${index + 1}`,
    kind: 'evm-rpc',
    chain: 'eth',
    url: `${server.url}/v3/`,
    headers: { 'x-api-key': 'secret-1' },
    query: { apikey: 'secret-2' },
  }))
  chainData = openChainData({
    providers: parseConfiguration(JSON.stringify({ providers })),
    maxAgeMs: 60_000,
    requestTimeoutMs,
    logger: silentLogger,
    metrics: noMetrics,
    now: () => nowMs,
  })
}

const look = (changes: { accountId?: string; chain?: string; address?: string } = {}, waitMs = LONG_MS) =>
  chainData.look({ accountId: 'a', chain: 'ETH', address: ADDRESS, ...changes }, waitMs)

/** Holds every answer back until it is released. */
function holding(server: ProviderServer): () => void {
  const held: (() => void)[] = []
  server.fault = (response, answer) => held.push(() => response.end(answer))
  return () => {
    server.fault = null
    for (const answer of held) answer()
  }
}

const once =
  (server: ProviderServer, fault: Fault): Fault =>
  (...answer) => {
    server.fault = null
    fault(...answer)
  }

describe('a chain', () => {
  test('without a provider is not asked about', async () => {
    open([first])
    expect(await look({ chain: 'XMR' })).toEqual({ stage: '', facts: [] })
    expect(chainData.covers('XMR')).toBe(false)
    expect(chainData.covers('ETH')).toBe(true)
    expect(first.asked).toEqual([])
  })

  test('with several asks all, and gives their facts in the order of the configuration', async () => {
    open([first, second])
    const letGo = holding(first)
    const looking = look()
    await vi.waitUntil(() => second.asked.length === 1, PATIENCE_MS)
    letGo()
    const { stage, facts } = await looking
    expect(stage).toBe('answered')
    expect(facts.map(({ provider, error }) => [provider, error])).toEqual([
      ['p1', null],
      ['p2', null],
    ])
  })

  test('of which one provider fails has the other’s fact', async () => {
    open([first, second])
    first.fault = (response) => response.writeHead(403).end()
    expect(await look()).toMatchObject({ stage: 'answered', facts: [{ error: 'refused' }, { error: null }] })
  })

  test('of which every provider fails has none', async () => {
    open([first])
    first.fault = (response) => response.writeHead(403).end()
    expect(await look()).toMatchObject({ stage: 'failed', facts: [{ error: 'refused' }] })
  })
})

describe('a stage that is late', () => {
  test('is dropped whole, whoever was in time', async () => {
    open([first, second])
    const letGo = holding(second)
    const { stage, facts } = await look({}, 50)
    expect(stage).toBe('late')
    expect(facts).toMatchObject([
      { provider: 'p1', error: 'late', balanceBaseUnits: null, responseSha256: '' },
      { provider: 'p2', error: 'late', balanceBaseUnits: null, responseSha256: '' },
    ])
    letGo()
  })

  test('warms the answer for the next', async () => {
    open([first])
    const letGo = holding(first)
    expect((await look({}, 20)).stage).toBe('late')
    letGo()
    await vi.waitUntil(async () => (await look({}, 0)).stage === 'answered', PATIENCE_MS)
    expect(first.asked).toHaveLength(1)
  })

  test('asks once, however many wait for the same answer', async () => {
    open([first])
    const letGo = holding(first)
    const looks = [look(), look(), look({}, 20)]
    expect((await looks[2]!).stage).toBe('late')
    letGo()
    expect((await Promise.all(looks)).map(({ stage }) => stage)).toEqual(['answered', 'answered', 'late'])
    expect(first.asked).toHaveLength(1)
  })
})

describe('a provider that was late again and again', () => {
  const WAIT_MS = 100
  const addressOf = (index: number) => `0x${String(index).padStart(40, '0')}`
  /** Timers end in the order in which they are due, however busy the machine is. */
  const isWaitedFor = async (address: string): Promise<boolean> => {
    const halfTime = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), WAIT_MS / 2))
    return await Promise.race([look({ address }, WAIT_MS).then(() => false), halfTime])
  }
  const lateLooks = async (count: number): Promise<void> => {
    const letGo = holding(first)
    const looks = Array.from({ length: count }, (_, index) =>
      look({ address: addressOf(index) }, WAIT_MS + 20),
    )
    expect((await Promise.all(looks)).map(({ stage }) => stage)).toEqual(Array(count).fill('late'))
    letGo()
    for (let index = 0; index < count; index += 1) await look({ address: addressOf(index) })
  }

  test('is not waited for; questions go on, and once it is quick it is waited for again', async () => {
    open([first])
    await lateLooks(NEWEST_ANSWERS - 1)
    const letGo = holding(first)
    expect(await isWaitedFor(addressOf(100))).toBe(true)
    expect((await look({ address: addressOf(100) }, WAIT_MS + 20)).stage).toBe('late')
    letGo()
    await look({ address: addressOf(100) })

    const hold = holding(first)
    expect(await isWaitedFor(addressOf(200))).toBe(false)
    hold()
    await look({ address: addressOf(200) })
    await look({ address: addressOf(300) })
    holding(first)
    expect(await isWaitedFor(addressOf(400))).toBe(true)
  })
})

describe('what is kept', () => {
  test('is used again up to its age, and reads like a fresh answer', async () => {
    open([first])
    const fresh = await look()
    nowMs += 20_000
    expect(await look()).toEqual(fresh)
    expect(first.asked).toHaveLength(1)
    nowMs += 40_000
    await look()
    expect(first.asked).toHaveLength(2)
  })

  test('is of one account only: no other can tell that it is there', async () => {
    open([first])
    await look()
    await look({ accountId: 'b' })
    expect(first.asked).toHaveLength(2)
  })

  test('is of one address only', async () => {
    open([first])
    await look()
    await look({ address: OTHER })
    expect(first.asked).toHaveLength(2)
  })

  test('is not a failure', async () => {
    open([first])
    first.fault = once(first, (response) => response.writeHead(403).end())
    expect((await look()).stage).toBe('failed')
    expect((await look()).stage).toBe('answered')
  })
})

describe('a provider that fails', () => {
  test('once is asked a second time at once', async () => {
    open([first])
    first.fault = once(first, (response) => response.writeHead(503).end())
    expect((await look()).stage).toBe('answered')
    expect(first.asked).toHaveLength(2)
  })

  test('again and again is not asked for a while', async () => {
    open([first])
    first.fault = (response) => response.writeHead(403).end()
    for (let failure = 0; failure < FAILURES_TO_OPEN; failure += 1) await look()
    const askedBefore = first.asked.length
    expect(await look()).toMatchObject({ stage: 'failed', facts: [{ error: 'circuit_open' }] })
    expect(first.asked).toHaveLength(askedBefore)
  })

  test('is tried again with one question after a while, and believed once it answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      open([first])
      first.fault = (response) => response.writeHead(403).end()
      for (let failure = 0; failure < FAILURES_TO_OPEN; failure += 1) await look()
      first.fault = null
      expect((await look()).facts[0]).toMatchObject({ error: 'circuit_open' })
      vi.setSystemTime(Date.now() + OPEN_FOR_MS)
      expect((await look()).stage).toBe('answered')
      expect((await look({ address: OTHER })).stage).toBe('answered')
    } finally {
      vi.useRealTimers()
    }
  })

  test('to keep up gets no more questions at once than it was promised; the rest is told that it is busy', async () => {
    open([first])
    const letGo = holding(first)
    const most = MAX_CONCURRENT_QUESTIONS + MAX_WAITING_QUESTIONS
    const looks = Array.from({ length: most + 7 }, (_, index) =>
      look({ address: `0x${String(index).padStart(40, '0')}` }),
    )
    await vi.waitUntil(() => first.asked.length === MAX_CONCURRENT_QUESTIONS, PATIENCE_MS)
    const busy = (await Promise.all(looks.slice(most))).map(({ facts }) => facts[0]?.error)
    expect(busy).toEqual(Array(7).fill('busy'))
    expect(first.asked).toHaveLength(MAX_CONCURRENT_QUESTIONS)
    letGo()
    expect((await Promise.all(looks.slice(0, most))).every(({ stage }) => stage === 'answered')).toBe(true)
  })

  test('takes no longer than its time limit', async () => {
    open([first], 50)
    first.fault = () => undefined
    expect(await look()).toMatchObject({ stage: 'failed', facts: [{ error: 'timeout' }] })
  })
})

describe('a question', () => {
  test('goes to the path of the endpoint, with its query and headers, and asks for nothing compressed', async () => {
    open([first])
    await look()
    const [{ url, headers }] = first.asked as [(typeof first.asked)[0]]
    expect(url.pathname).toBe('/v3')
    expect(url.searchParams.get('apikey')).toBe('secret-2')
    expect(headers).toMatchObject({ 'x-api-key': 'secret-1', 'accept-encoding': 'identity' })
  })

  test('goes over a connection that is kept: no handshake for each', async () => {
    open([first])
    for (let index = 0; index < 20; index += 1)
      expect((await look({ address: `0x${String(index).padStart(40, '0')}` })).stage).toBe('answered')
    expect(first.asked).toHaveLength(20)
    expect(first.connections()).toBeLessThan(5)
  })

  test('takes no way through a proxy of the environment', async () => {
    vi.stubEnv('HTTP_PROXY', second.url)
    vi.stubEnv('http_proxy', second.url)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    open([first])
    expect((await look()).stage).toBe('answered')
    expect(second.asked).toEqual([])
    vi.unstubAllEnvs()
  })

  test('leaves no secret in a fact, whatever happens', async () => {
    open([first])
    const seen = [await look()]
    first.fault = (response) => response.writeHead(302, { location: '/x?apikey=secret-2' }).end()
    seen.push(await look({ address: OTHER }))
    expect(JSON.stringify([seen, chainData.endpoints])).not.toMatch(/secret|v3/)
  })
})

describe('code at an address', () => {
  test.each([
    ['0x', false],
    ['0xef010088e6a0c2ddd26feeb64f039a2c41296fcb3f5640', false],
    ['0xEF010088E6A0C2DDD26FEEB64F039A2C41296FCB3F5640', false],
    ['0xef010088e6a0c2ddd26feeb64f039a2c41296fcb3f564000', true],
    ['0xef0101', true],
    ['0x6080604052', true],
  ])('%s: a contract is %s', async (code, isContract) => {
    first.answerer = evmRpc({ eth_getCode: () => code })
    open([first])
    expect((await look()).facts[0]).toMatchObject({ isContract, error: null })
  })
})

test('a state read while a block came in is of no certain block', async () => {
  let block = 0
  const moving = (): unknown => ({
    number: `0x${(100 + block).toString(16)}`,
    hash: `0x${String(block++).repeat(64)}`,
    timestamp: `0x${Math.floor(NOW_MS / 1_000).toString(16)}`,
  })
  first.answerer = evmRpc({ eth_getBlockByNumber: moving })
  open([first])
  expect((await look()).facts[0]).toMatchObject({ height: '100', blockHash: null, error: null })
})

test('a node that refuses messages of several calls is blamed by name', async () => {
  first.answerer = () => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } })
  open([first])
  expect((await look()).facts[0]).toMatchObject({ error: 'refused' })
  first.answerer = rpcAnswerer({})
  expect((await look()).facts[0]).toMatchObject({ error: 'refused' })
})
