/** What the readers of providers write is what the ledger imports: no row is refused, and nothing is lost on the way. */
import { openConnections, openHistorySource, openProviderHttp, type ProviderKind } from '@cupel/chain-data'
import { parseAddress, type ChainCode } from '@cupel/domain'
import { importLedger, ledgerMigrations } from '@cupel/ledger'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  blockbookStandIn,
  esploraStandIn,
  etherscanStandIn,
  serveStandIn,
  solanaStandIn,
  tronGridStandIn,
  type EvmMovement,
  type StandIn,
  type TronMovement,
} from '@cupel/testkit/providers'
import { afterAll, beforeAll, expect, test } from 'vitest'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const hash = (index: number): string => index.toString(16).padStart(64, '0')

let installation: TestInstallation
beforeAll(async () => {
  installation = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
})
afterAll(() => installation.close())

interface Case {
  readonly kind: ProviderKind
  readonly chain: ChainCode
  readonly address: string
  readonly standIn: StandIn
  /** Rows that the ledger stores, and those that it does not count, by reason. */
  readonly added: number
  readonly leftOut: Readonly<Record<string, number>>
}

const ground = { newestAtS: Math.floor(NOW_MS / 1_000) - 9, branch: 1 }

const [me, other, created] = [1, 2, 3].map((digit) => `0x${digit.toString(16).padStart(40, '0')}`)
const paid = { height: 20_000_000, from: other!, to: me!, value: '5' }
const movements: readonly EvmMovement[] = [
  { ...paid, list: 'txlist', hash: `0x${hash(1)}`, value: '1000000000000000000' },
  { ...paid, list: 'txlist', hash: `0x${hash(2)}`, from: me!, to: '', contract: created! },
  { ...paid, list: 'txlist', hash: `0x${hash(3)}`, failed: true },
  { ...paid, list: 'txlistinternal', hash: `0x${hash(4)}` },
  { ...paid, list: 'txlistinternal', hash: `0x${hash(4)}` },
  { ...paid, list: 'tokentx', hash: `0x${hash(5)}`, contract: '0xdac17f958d2ee523a2206206994597c13d831ec7' },
  { ...paid, list: 'tokentx', hash: `0x${hash(6)}`, contract: created! },
]
const evm = {
  ...{ ...ground, movements, newest: 25_000_000, secondsPerBlock: 12 },
  landmark: {
    height: 1_920_000,
    hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
  },
}

const payee = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'
const text = { address: null, value: 0, script: '6a0b68656c6c6f', described: ['OP_RETURN (hello)'] }
/** The hashes begin at `first`, because a transfer that another file states too is not a new one. */
const bitcoin = (first: number) => ({
  ...{ ...ground, newest: 961_361, secondsPerBlock: 500 },
  transactions: [
    {
      height: 900_000,
      hash: hash(first),
      inputs: [],
      outputs: [{ address: payee, value: 312_500_000 }, text],
    },
    {
      ...{ height: 900_001, hash: hash(first + 1), inputs: [{ address: payee, value: 700 }] },
      outputs: [
        { address: '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC', value: 500 },
        { address: payee, value: 190 },
      ],
    },
  ],
  landmark: {
    height: 478_559,
    hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148',
  },
})
const bitcoinRows = { chain: 'BTC', address: payee, added: 2, leftOut: { change: 1, zero_value: 1 } } as const

const [tronUser, usdt] = ['TUTpjYd12MSVqMJUHA8tn571FeFSRKe6V6', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t']
const sent = { height: 85_000_000, from: tronUser, to: usdt, value: 5 }
const tronMovements: readonly TronMovement[] = [
  { ...sent, list: 'transaction', hash: hash(30) },
  { ...sent, list: 'transaction', hash: hash(31), type: 'TriggerSmartContract', value: 0 },
  { ...sent, list: 'call', hash: hash(31), from: usdt, to: tronUser },
  { ...sent, list: 'transaction', hash: hash(32), result: 'REVERT' },
  { ...sent, list: 'trc20', hash: hash(33), token: usdt },
]
const [solUser, solPayer] = [
  'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB',
  'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
]
const solana = {
  transactions: [
    {
      ...{ slot: 437_000_000, signature: '5'.repeat(87) },
      accounts: [
        [solPayer, 9_005_700, 9_000_000],
        [solUser, 0, 700],
      ] as const,
    },
  ],
  ...{ newest: 437_001_000, newestAtS: ground.newestAtS, tokenAccounts: [] },
}
const hexOf = (text: string): string => {
  const parsed = parseAddress(text, 'TRX')
  return parsed.ok ? parsed.lookupKey!.replace('evm:0x', '41') : ''
}

const cases: readonly Case[] = [
  {
    ...{ kind: 'etherscan', chain: 'ETH', address: me!, added: 6, leftOut: { failed: 1, unknown_asset: 1 } },
    standIn: etherscanStandIn(evm, { host: 'etherscan' }),
  },
  { ...bitcoinRows, kind: 'esplora', standIn: esploraStandIn(bitcoin(10)) },
  { ...bitcoinRows, kind: 'blockbook', standIn: blockbookStandIn(bitcoin(20)) },
  {
    ...{ kind: 'trongrid', chain: 'TRX', address: tronUser, added: 4, leftOut: { failed: 1, zero_value: 1 } },
    standIn: tronGridStandIn(
      { movements: tronMovements, newest: 85_138_473, newestAtMs: NOW_MS - 9_123, branch: 1 },
      { hexOf },
    ),
  },
  {
    ...{ kind: 'solana-rpc', chain: 'SOL', address: solUser, added: 1, leftOut: {} },
    standIn: solanaStandIn(solana),
  },
]

test.each(cases)('a history of kind $kind', async ({ kind, chain, address, standIn, added, leftOut }) => {
  const server = await serveStandIn(standIn)
  const connections = openConnections(2)
  try {
    const source = openHistorySource({ name: 'p', kind, chain, multichain: false }, () => NOW_MS)!
    const endpoint = { url: new URL(server.url), headers: {} }
    const http = openProviderHttp(endpoint, connections, AbortSignal.timeout(60_000))
    const pages = source.read(address, { fromHeight: null, http })
    const lines: string[] = []
    let step = await pages.next()
    for (; step.done !== true; step = await pages.next())
      lines.push(...step.value.lines.map((line) => `${JSON.stringify(line)}\n`))
    expect(step.value).toMatchObject({ kinds: source.kinds, incomplete: [] })
    const file = await installation.file(`${kind}.jsonl`, lines.join(''))
    const request = { file, format: source.format, chain, importedBy: 'operator:test' }
    const deps = { database: installation.database, now: () => new Date(NOW_MS) }
    expect(await importLedger(request, deps)).toMatchObject({
      status: 'imported',
      added,
      leftOut,
      unreadable: [],
    })
  } finally {
    await connections.destroy()
    await server.close()
  }
})
