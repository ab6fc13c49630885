import type { Queryable } from '@cupel/postgres'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChainData, ChainQuestion } from '@cupel/chain-data'
import { noMetrics, silentLogger, type Lane } from '@cupel/contracts'
import type { ChainInputs } from '@cupel/domain'
import { ConfigError } from '@cupel/kit/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { createChainStage, openChainStage, type PreparedRequest } from './chain-stage.js'
import type { Request } from './lane.js'

const NOW = '2026-11-25T00:00:00.000Z'
const BUDGET_MS = 300
const ADDRESS = '0x00000000000000000000000000000000000abcde'
const answer: ChainInputs = { stage: 'answered', facts: [] }

let looked: (ChainQuestion & { waitMs: number })[]
let decided: PreparedRequest[]

/** Covers only ETH. */
const chainData: ChainData = {
  endpoints: [],
  covers: (chain) => chain === 'ETH',
  look: async (question, waitMs) => {
    looked.push({ ...question, waitMs })
    return answer
  },
  close: async () => undefined,
}

beforeEach(() => {
  looked = []
  decided = []
})

function request(over: Partial<Request['data']> = {}): Request {
  const data = {
    livemode: true,
    accountId: 'a',
    chain: 'ETH',
    address: ADDRESS,
    canonicalAddress: ADDRESS,
    candidateChains: [],
    requestedAt: NOW,
    ...over,
  }
  return { data } as unknown as Request
}

async function decide(requests: readonly Request[], lane: Lane = 'interactive'): Promise<void> {
  const stage = createChainStage(chainData, {
    ...{ budgetMs: BUDGET_MS, now: () => new Date(NOW) },
    neverAsking: () => Promise.resolve(new Set()),
  })
  const decisions = await stage.before(lane, async (prepared) => {
    decided.push(...prepared)
    return prepared.map(async () => ({ kind: 'undecidable', cause: '' }) as const)
  })(requests)
  await Promise.all(decisions)
}

test('a request of a covered chain is decided with what its providers said', async () => {
  await decide([request()])
  expect(looked).toEqual([{ accountId: 'a', chain: 'ETH', address: ADDRESS, waitMs: BUDGET_MS }])
  expect(decided).toEqual([{ ...request(), chainInputs: new Map([['ETH', answer]]) }])
})

test.each([
  ['of the sandbox', request({ livemode: false })],
  ['of a chain without a provider', request({ chain: 'XMR' })],
])('a request %s asks nobody and is passed on as it is', async (_name, other) => {
  await decide([other])
  expect(looked).toEqual([])
  expect(decided[0]).toBe(other)
})

test('an address without a named chain is asked for on every chain that it is possible on', async () => {
  await decide([request({ chain: 'BSC', candidateChains: ['BSC', 'ETH', 'MATIC'] })])
  expect(looked.map(({ chain }) => chain)).toEqual(['ETH'])
  expect(decided[0]!.chainInputs).toEqual(new Map([['ETH', answer]]))
})

test('requests keep their order, asked for or not', async () => {
  const requests = [request({ chain: 'XMR' }), request({ accountId: 'b' }), request({ livemode: false })]
  await decide(requests)
  expect(decided.map(({ data }) => data)).toEqual(requests.map(({ data }) => data))
  expect(decided.map(({ chainInputs }) => chainInputs !== undefined)).toEqual([false, true, false])
})

describe('the budget', () => {
  const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString()

  test.each([
    ['is whole where the call has just come', 0, BUDGET_MS],
    ['is less by what the request waited', -100, 200],
    ['is used up where it waited longer, and the answer is still fetched for the next', -5_000, 0],
    ['is never longer, whatever the clock of the API says', 60_000, BUDGET_MS],
  ])('%s', async (_name, requestedMs, waitMs) => {
    await decide([request({ requestedAt: at(requestedMs) })])
    expect(looked).toMatchObject([{ waitMs }])
  })

  test('of an item of a bulk is whole: nobody waits for it', async () => {
    await decide([request({ requestedAt: at(-5_000) })], 'bulk')
    expect(looked).toMatchObject([{ waitMs: BUDGET_MS }])
  })
})

describe('without a provider', () => {
  const config = {
    CUPEL_CHAIN_DATA_PUBLIC: false,
    CUPEL_CHAIN_DATA_BUDGET_MS: 300,
    CUPEL_CHAIN_DATA_MAX_AGE_MS: 60_000,
  }
  const open = (over: object = {}) =>
    openChainStage({
      config: { ...config, ...over },
      logger: silentLogger,
      metrics: noMetrics,
      now: () => new Date(NOW),
      database: { query: () => Promise.reject(new Error('no database')) } as unknown as Queryable,
    })

  test('the stage is not there: decisions are called as they are', async () => {
    const decideRequests = async (): Promise<[]> => []
    expect((await open()).before('interactive', decideRequests)).toBe(decideRequests)
  })

  test('that can be read, a start fails rather than screen without chain data unnoticed', async () => {
    await expect(open({ CUPEL_CHAIN_DATA_FILE: '/nowhere/providers.json' })).rejects.toThrow(ConfigError)
  })

  test('only over verified TLS, a start fails unless a setting allows plain HTTP', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-providers-'))
    const file = join(folder, 'providers.json')
    const provider = { name: 'node', kind: 'evm-rpc', chain: 'ETH', url: 'http://node.internal:8545/SECRET' }
    writeFileSync(file, JSON.stringify({ providers: [provider] }))
    try {
      const refusal = await open({ CUPEL_CHAIN_DATA_FILE: file }).catch(String)
      expect(refusal).toMatch(/provider node, node.internal:8545 .*CUPEL_CHAIN_DATA_INSECURE=true/)
      expect(refusal).not.toContain('SECRET')
      const allowed = await open({ CUPEL_CHAIN_DATA_FILE: file, CUPEL_CHAIN_DATA_INSECURE: true })
      await allowed.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
