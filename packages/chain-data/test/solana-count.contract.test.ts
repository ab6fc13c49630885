/** A count of Solana transactions is exact or absent: no number is too small, whatever a node leaves out. */
import { noMetrics, silentLogger, type ChainFact } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openChainData, parseConfiguration, type ChainData } from '../src/index.js'
import { NOW_MS, solana, solanaSignatures } from './protocols.js'
import { startProviderServer, type Answerer, type ProviderServer } from './provider-server.js'

const ADDRESS = 'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB'
const BALANCE = '18446744073709551615'
const context = { apiVersion: '3.0.6', slot: 402_000_000 }

let server: ProviderServer
let chainData: ChainData

beforeEach(async () => {
  server = await startProviderServer(() => null)
  const provider = { name: 'p', kind: 'solana-rpc', chain: 'SOL', url: server.url }
  chainData = openChainData({
    providers: parseConfiguration(JSON.stringify({ providers: [provider] })),
    maxAgeMs: 0,
    logger: silentLogger,
    metrics: noMetrics,
    now: () => NOW_MS,
  })
})

afterEach(async () => {
  await chainData.close()
  await server.close()
})

async function factFrom(answerer: Answerer): Promise<ChainFact> {
  server.answerer = answerer
  const { facts } = await chainData.look({ accountId: 'a', chain: 'SOL', address: ADDRESS }, 15_000)
  return facts[0]!
}

const withPage = (page: readonly unknown[]): Answerer => solana({ getSignaturesForAddress: () => page })

test('what fits in one page of a whole history is the total, failed ones included', async () => {
  expect(await factFrom(withPage(solanaSignatures(249)))).toMatchObject({
    txCount: 249,
    txCountKind: 'total',
    error: null,
  })
})

test('an address that nobody has ever paid has a total of 0', async () => {
  const answerer = solana({
    getBalance: () => ({ context, value: 0 }),
    getAccountInfo: () => ({ context, value: null }),
    getSignaturesForAddress: () => [],
  })
  expect(await factFrom(answerer)).toMatchObject({ txCount: 0, txCountKind: 'total', balanceBaseUnits: '0' })
})

const uncertain: readonly [string, Answerer][] = [
  ['a page that is exactly full', withPage(solanaSignatures(250))],
  ['a node whose history begins later', solana({ getFirstAvailableBlock: () => 250_000_000 })],
  ['a node that does not tell where its history begins', solana({}, 'getFirstAvailableBlock')],
  ['a node that keeps no history', solana({}, 'getSignaturesForAddress')],
  ['a balance that came from nowhere', withPage([])],
]

test.each(uncertain)('%s gives no count, and the balance all the same', async (_case, answerer) => {
  expect(await factFrom(answerer)).toMatchObject({
    txCount: null,
    txCountKind: null,
    balanceBaseUnits: BALANCE,
    error: null,
  })
})

const row = solanaSignatures(1)[0]!
const malformed: readonly [string, readonly unknown[]][] = [
  ['longer than was asked for', solanaSignatures(251)],
  ['with one signature twice', [row, row]],
  ['with the oldest first', [...solanaSignatures(3)].reverse()],
  ['with an invalid signature', [{ ...row, signature: 'O'.repeat(88) }]],
  ['with a row without a slot', [{ ...row, slot: undefined }]],
  ['with a row that is null', [row, null]],
]

test.each(malformed)('a page %s is not believed, nor anything with it', async (_case, page) => {
  expect(await factFrom(withPage(page))).toMatchObject({
    error: 'malformed',
    balanceBaseUnits: null,
    txCount: null,
  })
})

test('a full page fits in what is read of an answer, whatever strangers write into their memos', async () => {
  // As much as a transaction holds, of the character with the longest JSON form.
  const memo = `[1100] ${'\u0001'.repeat(1_100)}`
  const fact = await factFrom(withPage(solanaSignatures(250).map((one) => ({ ...one, memo }))))
  expect(fact).toMatchObject({ error: null, balanceBaseUnits: BALANCE, txCount: null })
})
