/** Rules that every reader of histories follows, whatever its protocol. */
import { assertWithin } from '@cupel/testkit'
import {
  blockbookStandIn,
  esploraStandIn,
  etherscanStandIn,
  solanaStandIn,
  tronGridStandIn,
  type StandIn,
} from '@cupel/testkit/providers'
import { parseAddress, type ChainCode } from '@cupel/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHistory, standInHttp, type ReadHistory } from '../../test/read-history.js'
import { landmarks } from '../chain-identity.js'
import { parseConfiguration, providerKinds, type ProviderKind } from '../configuration.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { openHistorySource } from './open-history-source.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const NEWEST = { newestAtS: Math.floor(NOW_MS / 1_000) - 9, branch: 1 }
const hash = (index: number): string => index.toString(16).padStart(64, '0')

interface Kind {
  readonly name: string
  readonly kind: ProviderKind
  readonly chain: ChainCode
  readonly address: string
  readonly standIn: StandIn
  readonly lines: number
  /** Names of fields that may be absent: the protocol leaves out what is empty, or the history says the same without it. */
  readonly free: RegExp
}

const evm = (host: 'etherscan' | 'blockscout'): Kind => {
  const [me, other] = [1, 2].map((digit) => `0x${digit.toString(16).padStart(40, '0')}`)
  const paid = { height: 20_000_000, from: other!, to: me!, value: '5' }
  const movements = (['txlist', 'txlistinternal', 'tokentx'] as const).map((list, index) => ({
    ...paid,
    list,
    hash: `0x${hash(index)}`,
    contract: list === 'tokentx' ? '0xdac17f958d2ee523a2206206994597c13d831ec7' : '',
  }))
  const chain = { ...NEWEST, movements, newest: 25_000_000, secondsPerBlock: 12, landmark: landmarks.ETH! }
  return {
    ...{ name: host, kind: 'etherscan', chain: 'ETH', address: me!, lines: 3 },
    standIn: etherscanStandIn(chain, { host }),
    free: /^(transactionIndex|contractAddress|txreceipt_status)$/,
  }
}

const bitcoin = (kind: 'esplora' | 'blockbook'): Kind => {
  const me = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'
  const other = '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'
  const inputs = [{ address: other, value: 700 }]
  const transactions = [1, 2].map((index) => ({
    ...{ height: 900_000 + index, hash: hash(index), inputs, outputs: [{ address: me, value: 690 }] },
  }))
  const chain = { ...NEWEST, transactions, newest: 961_361, secondsPerBlock: 500, landmark: landmarks.BTC! }
  return {
    ...{ name: kind, kind, chain: 'BTC', address: me, lines: 2 },
    standIn: (kind === 'esplora' ? esploraStandIn : blockbookStandIn)(chain),
    free: /^(scriptpubkey_address|value|valueIn|vin)$/,
  }
}

const tron = (): Kind => {
  const [me, other] = ['TUTpjYd12MSVqMJUHA8tn571FeFSRKe6V6', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t']
  const paid = { height: 85_000_000, from: other, to: me, value: 5, token: other }
  const hexOf = (text: string): string => {
    const parsed = parseAddress(text, 'TRX')
    return parsed.ok ? parsed.lookupKey!.replace('evm:0x', '41') : ''
  }
  const movements = (['transaction', 'call', 'trc20'] as const).map((list, index) => ({
    ...{ ...paid, list, hash: hash(index) },
  }))
  const chain = { movements, newest: 85_138_473, newestAtMs: NOW_MS - 9_123, branch: 1 }
  return {
    ...{ name: 'trongrid', kind: 'trongrid', chain: 'TRX', address: me, lines: 3 },
    standIn: tronGridStandIn(chain, { hexOf }),
    free: /^(ret|contractRet|note|call_value|_|internal_transactions)$/,
  }
}

const solana = (): Kind => {
  const [me, other] = [
    'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB',
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  ]
  const accounts = [[other, 9_005_700, 9_000_000] as const, [me, 0, 700] as const]
  const signature = '5'.repeat(87)
  const ledger = {
    ...{ transactions: [{ slot: 9, signature, accounts }], newest: 99, newestAtS: NEWEST.newestAtS },
    tokenAccounts: [],
  }
  return {
    ...{ name: 'solana-rpc', kind: 'solana-rpc', chain: 'SOL', address: me, lines: 1 },
    standIn: solanaStandIn(ledger),
    free: /^(preTokenBalances|postTokenBalances|innerInstructions|err)$/,
  }
}

const kinds: readonly Kind[] = [
  ...[evm('etherscan'), evm('blockscout'), bitcoin('esplora'), bitcoin('blockbook'), tron(), solana()],
]

const sourceOf = ({ kind, chain }: Pick<Kind, 'kind' | 'chain'>) =>
  openHistorySource({ name: 'p', kind, chain, multichain: false }, () => NOW_MS)!
const read = (kind: Kind, http: ProviderHttp, fromHeight: number | null = null): Promise<ReadHistory> =>
  readHistory(sourceOf(kind), kind.address, http, fromHeight)

/** The error of the reader; any other error is a fault of it. */
async function outcome(kind: Kind, standIn: StandIn): Promise<ReadHistory | ProviderError> {
  try {
    return await read(kind, standInHttp(standIn))
  } catch (error) {
    if (error instanceof ProviderError) return error
    throw error
  }
}

test('every kind of provider that states more than balances has a reader', () => {
  const read = new Set(kinds.map(({ kind }) => kind))
  expect(providerKinds.filter((kind) => !read.has(kind))).toEqual(['evm-rpc'])
  const node = { name: 'n', kind: 'evm-rpc', chain: 'ETH', url: 'http://127.0.0.1:1' }
  const [config] = parseConfiguration(JSON.stringify({ providers: [node] }))
  expect(openHistorySource(config!)).toBeNull()
})

describe.each(kinds)('a history from $name', (kind) => {
  test('is whole, and later only what is new is read', async () => {
    const first = await read(kind, standInHttp(kind.standIn))
    expect(first.end).toMatchObject({ kinds: sourceOf(kind).kinds, incomplete: [] })
    expect(first.lines).toHaveLength(kind.lines)
    const again = await read(kind, standInHttp(kind.standIn), first.end.head.height)
    expect(again).toMatchObject({ lines: [], end: first.end })
  })

  test('starts with the head, before any question names the address', async () => {
    const asked: string[] = []
    const http = standInHttp((question) => {
      asked.push(question.url.href + JSON.stringify(question.body ?? null))
      return kind.standIn(question)
    })
    const { head, lacks } = await sourceOf(kind).start(http)
    expect(lacks).toEqual([])
    expect(asked.filter((question) => question.includes(kind.address))).toEqual([])
    expect((await read(kind, standInHttp(kind.standIn))).end.head).toEqual(head)
  })

  test('is rate-limited at any call by name, and the error does not have the address', async () => {
    let calls = 0
    const counting = standInHttp((question) => {
      calls += 1
      return kind.standIn(question)
    })
    await read(kind, counting)
    for (let limited = 1; limited <= calls; limited++) {
      let call = 0
      const found = await outcome(kind, (question) =>
        ++call === limited ? { status: 429, body: kind.address } : kind.standIn(question),
      )
      expect(found).toMatchObject({ code: 'rate_limited' })
      expect(String(found)).not.toContain(kind.address)
    }
  })

  test('ends with an error of its own whatever the answers are', async () => {
    await assertWithin(
      { name: `histories of ${kind.name}: anything`, full: 150, minimum: 40 },
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1, maxLength: 4 }),
        async (answers) => {
          let next = 0
          const body = (): unknown => answers[next++ % answers.length]
          expect(await outcome(kind, () => ({ status: 200, body: body() }))).toBeInstanceOf(ProviderError)
        },
      ),
    )
  })

  test('of its own form with anything at one place is read, incomplete or refused', async () => {
    await assertWithin(
      { name: `histories of ${kind.name}: one wrong place`, full: 150, minimum: 40 },
      fc.asyncProperty(fc.nat(), fc.jsonValue({ maxDepth: 2 }), async (place, anything) => {
        const found = await outcome(kind, (question) => {
          const answer = kind.standIn(question)
          return { ...answer, body: replacedAt(answer.body, place, anything) }
        })
        if (found instanceof ProviderError) expect(found.message).not.toContain(kind.address)
        else expect(JSON.stringify(found).length).toBeLessThan(100_000)
      }),
    )
  })

  test('that lacks any one field is never whole and other', async () => {
    const whole = movedIn(await read(kind, standInHttp(kind.standIn)))
    const paths = new Set<string>()
    await read(
      kind,
      standInHttp((question) => {
        const answer = kind.standIn(question)
        for (const path of pathsOf(answer.body, '')) paths.add(path)
        return answer
      }),
    )
    const wrong: string[] = []
    for (const path of paths) {
      const names = path.split('/')
      if (kind.free.test(names.at(-1)!)) continue
      const found = await outcome(kind, (question) => {
        const answer = kind.standIn(question)
        return { ...answer, body: without(structuredClone(answer.body), names) }
      })
      const isWhole = !(found instanceof ProviderError) && found.end.incomplete.length === 0
      if (isWhole && movedIn(found) !== whole) wrong.push(path)
    }
    expect(wrong).toEqual([])
    expect(paths.size).toBeGreaterThan(15)
  })
})

/** What moved, whatever else a line states. */
function movedIn({ lines }: ReadHistory): string {
  const fields = ['kind', 'from_address', 'to_address', 'amount_raw', 'tx_hash', 'hash', 'inputs', 'outputs']
  return JSON.stringify(lines.map((line) => fields.map((name) => line[name] ?? null)))
}

function* pathsOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}/${name}`
    if (!Array.isArray(value)) yield at
    yield* pathsOf(inner, at)
  }
}

function without(answer: unknown, [name, ...rest]: readonly string[]): unknown {
  if (typeof answer !== 'object' || answer === null || name === undefined || !(name in answer)) return answer
  const record = answer as Record<string, unknown>
  if (rest.length === 0) delete record[name]
  else record[name] = without(record[name], rest)
  return answer
}

/** The answer with one of its values replaced; places are counted depth first and wrap around. */
function replacedAt(answer: unknown, place: number, value: unknown): unknown {
  let left = place % countPlaces(answer)
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
