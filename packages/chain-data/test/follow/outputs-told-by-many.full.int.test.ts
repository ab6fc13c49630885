/** However many sources tell a transaction with inputs and outputs, it counts once. */
import { landmarks } from '../../src/chain-identity.js'
import { openHistorySource } from '../../src/histories/open-history-source.js'
import type { ProviderHttp } from '../../src/provider-http.js'
import { compiledDefaultPolicy } from '@cupel/domain'
import {
  addressesOfScript,
  currentLedger,
  examineAddress,
  importLedger,
  ledgerMigrations,
} from '@cupel/ledger'
import { startBitcoinChain, type BitcoinChain, type StandInPayment } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { esploraStandIn, renderAnswer, type UtxoPart } from '@cupel/testkit/providers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { bitcoinNumbers, bitcoinNode } from '../../src/follow/bitcoin/bitcoin-node.js'
import { NOW, timeOf } from './followed.js'

const WORLDS = 12
const COIN = 100_000_000n
const HEAD = 12
/** An explorer tells what is below the newest blocks. */
const NEWEST = HEAD + 3
const SCRIPTS = [1, 2, 3, 4].map((one) => `0014${String(one).repeat(40)}`)
const OWNERS = SCRIPTS.map((script) => addressesOfScript('BTC', script)[0]!)
const [WALLET] = OWNERS
/** A script without an address. */
const DATA = '6a04deadbeef'

let base: TestInstallation
beforeAll(async () => {
  base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
}, 60_000)
afterAll(async () => await base.close())

interface DrawnPayment {
  readonly spends: readonly number[]
  readonly outputs: readonly { readonly script: string; readonly part: number }[]
  readonly fee: number
}
const drawnPayment: fc.Arbitrary<DrawnPayment> = fc.record({
  spends: fc.array(fc.nat(50), { minLength: 1, maxLength: 3 }),
  outputs: fc.array(
    fc.record({ script: fc.constantFrom(...SCRIPTS, DATA), part: fc.integer({ min: 1, max: 3 }) }),
    {
      ...{ minLength: 1, maxLength: 3 },
    },
  ),
  fee: fc.nat(1_000),
})

type Blocks = readonly (readonly StandInPayment[])[]

/** Each block has a coinbase, and the drawn payments spend what is not spent yet. */
function blocksOf(drawn: readonly (readonly DrawnPayment[])[]): Blocks {
  const unspent: { place: string; value: bigint }[] = []
  const blocks: StandInPayment[][] = []
  for (let height = 0; height <= HEAD; height += 1) {
    const block: StandInPayment[] = []
    const add = (payment: StandInPayment): void => {
      const index = block.push(payment) - 1
      for (const [output, { hex, value }] of payment.outputs.entries())
        if (hex !== DATA && height > 0) unspent.push({ place: `${height}:${index}:${output}`, value })
    }
    add({ spends: [], outputs: [outputOf(SCRIPTS[height % SCRIPTS.length]!, 50n * COIN)] })
    for (const { spends, outputs, fee } of drawn[height - 2] ?? []) {
      const taken = spends.flatMap((one) =>
        unspent.length === 0 ? [] : unspent.splice(one % unspent.length, 1),
      )
      const given = taken.reduce((sum, { value }) => sum + value, 0n) - BigInt(fee)
      const parts = outputs.reduce((sum, { part }) => sum + part, 0)
      if (given <= 0n) continue
      const told = outputs.map(({ script, part }) => outputOf(script, (given * BigInt(part)) / BigInt(parts)))
      add({ spends: taken.map(({ place }) => place), outputs: told })
    }
    blocks.push(block)
  }
  return blocks
}

function outputOf(hex: string, value: bigint) {
  const [address] = addressesOfScript('BTC', hex)
  return { hex, value, ...(address === undefined ? {} : { address }) }
}

interface ToldPayment {
  readonly height: number
  readonly index: number
  readonly hash: string
  readonly inputs: readonly UtxoPart[]
  readonly outputs: readonly UtxoPart[]
}

function payments(blocks: Blocks, chain: BitcoinChain): readonly ToldPayment[] {
  const partOf = ({ hex, address, value }: StandInPayment['outputs'][number]): UtxoPart => ({
    ...{ address: address ?? null, value: Number(value), script: hex },
  })
  return blocks.flatMap((block, height) =>
    block.map(({ spends, outputs }, index) => ({
      ...{ height, index, hash: chain.idOf(height, index), outputs: outputs.map(partOf) },
      inputs: spends.map((place) => {
        const [at, transaction, output] = place.split(':').map(Number) as [number, number, number]
        return partOf(blocks[at]![transaction]!.outputs[output]!)
      }),
    })),
  )
}

async function followed(chain: BitcoinChain): Promise<void> {
  const signal = new AbortController().signal
  const client = openNodeClient({
    ...{ url: new URL(chain.url), inFlight: 2, signal, retryMs: 1, prepare: bitcoinNumbers },
  })
  try {
    const node = await bitcoinNode({ chain: 'BTC', client, landmark: { height: 1, hash: chain.hashOf(1) } })
    await follow(
      {
        ...{ node, folder: base.folder, keepsFiles: false, importedBy: 'operator:test', from: 0, to: HEAD },
        ...{ confirmations: 0, segmentBlocks: HEAD + 1, everyS: 0, batchBlocks: 5, inFlight: 2 },
        ...{ maxHeadAgeS: 7_200, pollMs: 5, retryMs: 5 },
      },
      { database: base.database, signal, now: () => NOW },
    )
  } finally {
    await client.close()
  }
}

/** As bitcoin-etl writes it, with hashes in either case. Genesis pays nobody. */
function etlFile(all: readonly ToldPayment[], tellsIndex: boolean): string {
  const part = ({ address, value, script }: UtxoPart) => ({
    ...{ addresses: address === null ? [] : [address], value, script_hex: script },
  })
  return all

    .map(({ height, index, hash, inputs, outputs }) =>
      JSON.stringify({
        ...{
          hash: tellsIndex ? hash : hash.toUpperCase(),
          block_number: height,
          ...(tellsIndex ? { index } : {}),
        },
        ...{ block_timestamp: timeOf(HEAD)(height), is_coinbase: inputs.length === 0 },
        ...{ inputs: inputs.map(part), outputs: outputs.map(part) },
      }),
    )
    .map((line) => `${line}\n`)
    .join('')
}

let files = 0
async function imported(
  text: string,
  more: Partial<Parameters<typeof importLedger>[0]> & { readonly format: string },
): Promise<void> {
  const file = await base.file(`told-${(files += 1)}.jsonl`, text)
  const result = await importLedger(
    { file, chain: 'BTC', importedBy: 'operator:test', ...more },
    { database: base.database, now: () => NOW },
  )
  if (result.status === 'refused') throw new Error(result.message)
}

/** What an explorer tells of the wallet. */
async function explored(all: readonly ToldPayment[]): Promise<void> {
  const standIn = esploraStandIn({
    transactions: all,
    ...{
      newest: NEWEST,
      newestAtS: timeOf(HEAD)(NEWEST),
      secondsPerBlock: 12,
      branch: 1,
      landmark: landmarks['BTC']!,
    },
  })
  const source = openHistorySource(
    { name: 'explorer', kind: 'esplora', chain: 'BTC', multichain: false },
    () => NOW.getTime(),
  )!
  const text = (path: string): string =>
    renderAnswer(standIn({ method: 'GET', url: new URL(`http://provider/api${path}`), body: undefined }).body)
  const http = {
    getText: (path: string) => Promise.resolve(text(path)),
    getJson: (path: string) => Promise.resolve(JSON.parse(text(path)) as unknown),
  } as unknown as ProviderHttp
  const lines: string[] = []
  const pages = source.read(WALLET!, { fromHeight: null, http })
  for (;;) {
    const step = await pages.next()
    if (step.done !== true) {
      lines.push(...step.value.lines.map((line) => `${JSON.stringify(line)}\n`))
      continue
    }
    const { head, kinds, incomplete } = step.value
    return await imported(lines.join(''), {
      ...{ format: source.format, covers: kinds, completeFrom: 0, completeTo: head.height },
      history: {
        ...{ address: WALLET!, provider: 'explorer', height: head.height, hash: head.hash ?? '' },
        ...{ atS: head.atS, incomplete },
      },
    })
  }
}

async function forget(): Promise<void> {
  await base.database.execute(
    `TRUNCATE ledger.segment, ledger.transfer, ledger.address, ledger.block, ledger.cluster_join, ledger.owner_address,
       ledger.unreadable_row, ledger.follower`,
  )
}

async function everybody() {
  const { ledgerSeq } = await currentLedger(base.database)
  const found = []
  for (const address of OWNERS) {
    const { breakdown, netBaseUnits, historyComplete } = await examineAddress(base.database, {
      ...{ chain: 'BTC', address, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
      generatedAt: new Date(NOW.getTime() + 60_000).toISOString(),
      labelsOf: async () => new Map(),
    })
    const totals = breakdown.map(({ direction, total }) => `${direction} ${total}`).toSorted()
    found.push({ historyComplete, money: { netBaseUnits, totals } })
  }
  return found
}

/** What the transactions leave to each owner. */
const netsOf = (all: readonly ToldPayment[]): readonly (string | null)[] =>
  OWNERS.map((owner) => {
    const own = all
    const sum = (parts: readonly UtxoPart[]): number =>
      parts.reduce((total, { address, value }) => total + (address === owner ? value : 0), 0)
    return String(own.reduce((net, { inputs, outputs }) => net + sum(outputs) - sum(inputs), 0))
  })

const drawnWorld = fc.array(fc.array(drawnPayment, { maxLength: 2 }), { minLength: 1, maxLength: 6 })

test.each([
  ['all of them: the world told once', 3],
  ['some of them: only what is whole is called whole', 1],
])('what a follower, a file and an explorer tell, %s', { timeout: 600_000 }, async (_, least) => {
  await fc.assert(
    fc.asyncProperty(
      drawnWorld,
      fc.shuffledSubarray([0, 1, 2], { minLength: least, maxLength: least === 3 ? 3 : 2 }),
      fc.boolean(),
      async (drawn, order, tellsIndex) => {
        const blocks = blocksOf(drawn)
        const chain = await startBitcoinChain(blocks, timeOf(HEAD))
        try {
          const all = payments(blocks, chain)
          await forget()
          await followed(chain)
          const once = await everybody()
          expect(once.map(({ money }) => money.netBaseUnits)).toEqual(netsOf(all))
          await forget()
          const told = [
            () => followed(chain),
            () => imported(etlFile(all, tellsIndex), { format: 'bitcoin-etl' }),
            () => explored(all),
          ]
          for (const place of order) await told[place]!()
          for (const [index, found] of (await everybody()).entries())
            if (found.historyComplete || order.length === told.length)
              expect(found.money, OWNERS[index]).toEqual(once[index]!.money)
        } finally {
          await chain.close()
        }
      },
    ),
    { numRuns: WORLDS },
  )
})
