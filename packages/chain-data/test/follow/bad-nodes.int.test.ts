/** Whatever is wrong with a node is named, and nothing of the segment is declared. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { evmNode } from '../../src/follow/evm/evm-node.js'
import { NOW, startFollowed, timeOf, type Followed } from './followed.js'

const HEAD = 40
let followed: Followed
beforeEach(async () => {
  followed = await startFollowed({ head: HEAD })
}, 60_000)
afterEach(async () => await followed.close())

type Json = Record<string, unknown>
const BAD = 14
const isOf = (height: number, params: readonly unknown[]): boolean => Number(params[0]) === height
/** Changes the answer of a method for the bad block. */
const changing =
  (method: string, change: (result: never) => unknown) =>
  (call: { readonly method: string; readonly params: readonly unknown[] }, result: unknown): unknown =>
    call.method === method && isOf(BAD, call.params) ? change(structuredClone(result) as never) : result
const receipts = (change: (list: Json[]) => unknown) => changing('eth_getBlockReceipts', change)
const block = (change: (block: Json & { transactions: Json[] }) => unknown) =>
  changing('eth_getBlockByNumber', change)
const calls = (change: (list: Json[]) => unknown) => changing('trace_block', change)
const withFirst = (list: Json[], fields: Json): Json[] => [{ ...list[0], ...fields }, ...list.slice(1)]
const failing = (code: number, message: string) => () => ({ error: { code, message } })
const OTHER = `0x${'99'.repeat(32)}`

/** Follows until the first fault that the follower states. */
async function faultOf(): Promise<string> {
  const ended = new AbortController()
  let fault = ''
  const onState = (state: { readonly fault: string | null }): void => {
    if (state.fault === null) return
    fault = state.fault
    ended.abort()
  }
  await follow(await followed.options({ to: 35 }), {
    ...{ database: followed.database, signal: ended.signal, now: () => NOW, onState },
  }).catch(() => undefined)
  return fault
}

test.each([
  ['no block', block(() => null), 'has no block 14'],
  ['another height', block((one) => ({ ...one, number: '0xf' })), 'answers block 15 for 14'],
  ['another block', block((one) => ({ ...one, hash: OTHER })), 'in another block'],
  [
    'another parent',
    block((one) => ({ ...one, parentHash: OTHER })),
    `block 14 of the node follows ${OTHER}`,
  ],
  [
    'an unknown type',
    block((one) => ({ ...one, transactions: withFirst(one.transactions, { type: '0x6a' }) })),
    'the type 0x6a of transaction 0 of block 14',
  ],
  [
    'no value',
    block((one) => ({ ...one, transactions: withFirst(one.transactions, { value: 'much' }) })),
    'the value of transaction 0 of block 14 is not a quantity',
  ],
  [
    'a transaction too few',
    block((one) => ({ ...one, transactions: one.transactions.slice(0, 1) })),
    'of another transaction',
  ],
  ['a missing receipt', receipts((list) => list.slice(1)), '2 transactions and 1 receipts'],
  ['no receipts', receipts(() => null), 'no receipts of block 14'],
  [
    'receipts of another block',
    receipts((list) => withFirst(list, { blockHash: OTHER })),
    'receipt 0 of block 14 is of another block',
  ],
  ['receipts in another order', receipts((list) => list.reverse()), 'is of another transaction'],
  [
    'an unknown status',
    receipts((list) => withFirst(list, { status: '0x2' })),
    'neither success nor failure',
  ],
  [
    'other gas',
    receipts((list) => withFirst(list, { gasUsed: '0x1' })),
    'used 42000 gas, and its receipts 21001',
  ],
  [
    'no logs',
    receipts((list) => list.map((one) => ({ ...one, logs: [] }))),
    'block 14 has logs, and its receipts have none',
  ],
  [
    'a log that is missing',
    receipts((list) =>
      list.map((one) => ({
        ...one,
        logs: (one['logs'] as Json[]).map((log) => ({ ...log, logIndex: '0x1' })),
      })),
    ),
    'a log before log 0 of block 14 is missing',
  ],
  ['calls of another block', calls((list) => withFirst(list, { blockHash: OTHER })), 'is of another block'],
  ['no calls of a transaction', calls((list) => list.slice(0, 1)), 'the node tells calls of 1'],
  [
    'an unknown call',
    calls((list) => list.map((one) => ({ ...one, type: 'gift' }))),
    'the type of a call of block 14 is not known',
  ],
  [
    'a failed call of a success',
    calls((list) => withFirst(list, { error: 'Reverted' })),
    'tells success, and its call an error',
  ],
  [
    'pruned state',
    calls(failing(-32_000, 'missing trie node 1f (path )')),
    'has pruned what trace_block asks for',
  ],
  [
    'pruned blocks',
    block(failing(-32_000, 'pruned history unavailable')),
    'has pruned what eth_getBlockByNumber asks for',
  ],
  [
    'an error with its key',
    receipts(failing(-32_000, 'https://node/SECRET is bad')),
    'the node refuses eth_getBlockReceipts: code -32000',
  ],
])('%s', async (_name, meddle, said) => {
  followed.chain.meddle = meddle
  const fault = await faultOf()
  expect(fault).toContain(said)
  expect(fault).not.toContain('SECRET')
  expect((await followed.ranges())[0]).toBe('native 0-10')
  const [follower] = await followed.followers()
  expect(follower!.fault).toBe(fault)
  followed.chain.meddle = null
  await followed.follows()
  expect((await followed.ranges())[0]).toBe('native 0-35')
  expect(await followed.movements()).toHaveLength(3 * 36)
})

test.each([
  ['429', 'rate_limited'],
  ['503', 'http_status'],
  ['403', 'refused'],
  ['cut', 'malformed'],
  ['huge', 'too_large'],
  ['broken off', 'unreachable'],
])('a node that answers %s is named, and its key is not', async (kind, said) => {
  const secret = 'KEY0123456789'
  const client = openNodeClient({
    url: new URL(`http://user:${secret}@${followed.chain.url.slice(7)}/v3/${secret}?key=${secret}`),
    ...{ inFlight: 1, signal: new AbortController().signal, retryMs: 1, maxBytes: 100_000 },
  })
  let answered = 0
  followed.chain.answer = (request, response) => {
    answered += 1
    expect(request.headers.authorization).toBe(`Basic ${Buffer.from(`user:${secret}`).toString('base64')}`)
    if (/^\d+$/.test(kind)) response.writeHead(Number(kind)).end(secret)
    else if (kind === 'cut') response.end('[{"jsonrpc":"2.0","id":0,"resu')
    else if (kind === 'huge') response.end('['.repeat(200_000))
    else request.socket.destroy()
    return true
  }
  const error = await evmNode({ chain: 'AVAX', client }).catch((caught: unknown) => caught as Error)
  expect(String(error)).toContain(said)
  expect(`${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain(secret)
  expect(answered).toBe(['403', 'huge'].includes(kind) ? 1 : 5)
  await client.close()
})

test('an answer that is late once, limited once and cut once is asked for again', async () => {
  const bad = ['429', 'cut', '503']
  followed.chain.answer = (_request, response) => {
    const kind = bad.pop()
    if (kind === undefined) return false
    if (kind === 'cut') response.end('[')
    else response.writeHead(Number(kind)).end()
    return true
  }
  await followed.follows()
  expect(await followed.movements()).toHaveLength(3 * 36)
})

test('a node of another chain, and one without the block that its chain is known by, are refused', async () => {
  const open = () =>
    openNodeClient({ url: new URL(followed.chain.url), inFlight: 1, signal: new AbortController().signal })
  await expect(evmNode({ chain: 'BSC', client: open() })).rejects.toMatchObject({ code: 'wrong_chain' })
  const client = open()
  await expect(
    evmNode({ chain: 'AVAX', client, landmark: { height: 3, hash: OTHER } }),
  ).rejects.toMatchObject({
    code: 'wrong_chain',
  })
  await expect(
    evmNode({ chain: 'AVAX', client, landmark: { height: 99, hash: OTHER } }),
  ).rejects.toMatchObject({
    code: 'node_behind',
  })
  await expect(
    evmNode({ chain: 'AVAX', client, landmark: { height: 3, hash: followed.chain.hashOf(3) } }),
  ).resolves.toBeDefined()
})

test('a node whose newest block is old is behind', async () => {
  const later = new Date((timeOf(HEAD)(HEAD) + 3 * 3_600) * 1_000)
  const ended = new AbortController()
  const faults: string[] = []
  await follow(await followed.options(), {
    ...{ database: followed.database, signal: ended.signal, now: () => later },
    onState({ fault }) {
      if (fault === null) return
      faults.push(fault)
      ended.abort()
    },
  })
  expect(faults[0]).toBe('the newest block 40 of the node is 180 minutes old')
  // What it has is imported all the same.
  expect((await followed.ranges())[0]).toBe('native 0-35')
})
