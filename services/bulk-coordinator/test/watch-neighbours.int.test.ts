/** A watched address is decided again by labels of those it dealt or spent together with, in whatever form of their keys. */
import { encodeBase58Check, encodeSegwit, sharedKey, writtenForms } from '@cupel/domain'
import { lookForNews } from '@cupel/watches'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'
import { activatePolicy, due, publish, segment, settleAll, watch } from './watching.js'

const hashOf = (n: number): Uint8Array => new Uint8Array(20).fill(n)
/** The `bc1q…` and the `1…` form of the key with this number. */
const segwit = (n: number): string => encodeSegwit('bc', 0, hashOf(n))
const legacy = (n: number): string => encodeBase58Check(Uint8Array.from([0, ...hashOf(n)]))
/** The nested `3…` form, from which nothing leads back. */
const nested = (n: number): string => writtenForms(legacy(n), 'BTC', 'BTC')[1]!
const [A, B, C] = addresses(3) as [string, string, string]
const D = segwit(1)

let installation: Installation
const look = () => lookForNews(installation.database, '1.0.0')
beforeEach(async () => {
  installation = await openInstallation()
  await activatePolicy(installation)
  await publish(installation, { added: ['0xbad'] })
  await watch(installation, [A, B, C])
  await watch(installation, [D], { chain: 'BTC' })
  await settleAll(installation)
  await look()
})
afterEach(() => installation.close())

const inLedger = async (chain: string): Promise<void> => {
  await segment(installation, chain)
  await look()
  await settleAll(installation)
}
let transfers = 0
const transfer = async (from: string, to: string, chain = 'ETH'): Promise<void> => {
  for (const address of [from, to])
    await installation.database.execute(
      `INSERT INTO ledger.owner_address (chain, owner_key, address, segment_id) SELECT $1, $2, $3, 1 WHERE $2::text IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [chain, sharedKey(address, chain), address],
    )
  await installation.database.execute(
    `INSERT INTO ledger.address (chain, address) SELECT $1, given FROM unnest($2::text[]) AS given
     WHERE NOT EXISTS (SELECT FROM ledger.address WHERE chain = $1 AND address = given)`,
    [chain, [from, to]],
  )
  await installation.database.execute(
    `INSERT INTO ledger.transfer (transfer_id, segment_id, from_id, to_id, kind, tx_hash, amount)
     SELECT $1::uuid, 1, sender.address_id, receiver.address_id, 'n', '', 1 FROM ledger.address sender, ledger.address receiver
     WHERE sender.chain = $4 AND sender.address = $2 AND receiver.chain = $4 AND receiver.address = $3`,
    [`00000000-0000-0000-0000-${String((transfers += 1)).padStart(12, '0')}`, from, to, chain],
  )
}
const spentTogether = async (one: string, other: string): Promise<void> => {
  for (const [address, mate] of [
    [one, other],
    [other, one],
  ])
    await installation.database.execute(
      `INSERT INTO ledger.cluster_join (chain, address, other, tx_hash, segment_id) VALUES ('BTC', $1, $2, '', 1)`,
      [address, mate],
    )
}

test('by labels of an address that transfers lead to, as far as the policy follows them', async () => {
  await inLedger('ETH')
  // Two transfers lead from C to X, and three from B.
  await transfer(C, '0xm')
  await transfer('0xx', '0xm')
  await transfer('0xx', '0xy')
  await transfer('0xy', '0xz')
  await transfer(B, '0xz')
  await publish(installation, { added: ['0xx'] })
  await look()
  expect(await due(installation)).toEqual([C])
})

test('by labels of an address that it spent together with', async () => {
  await inLedger('BTC')
  await spentTogether(D, segwit(2))
  await spentTogether(segwit(2), segwit(3))
  await spentTogether(segwit(3), segwit(4))
  await publish(installation, { added: [segwit(4)] })
  await look()
  expect(await due(installation)).toEqual([D])
})

test.each([
  ['itself', () => Promise.resolve(), legacy(1)],
  ['an address that it spent together with', () => spentTogether(D, segwit(2)), legacy(2)],
  ['an address that it paid', () => transfer(D, segwit(2), 'BTC'), legacy(2)],
  ['an address that it paid, by the nested form', () => transfer(D, segwit(2), 'BTC'), nested(2)],
  [
    'an address that was paid from another address of its own key',
    () => transfer(legacy(1), segwit(2), 'BTC'),
    legacy(2),
  ],
  [
    'an address over an intermediary with two addresses',
    async () => {
      await transfer(segwit(2), segwit(3), 'BTC')
      await transfer(legacy(3), D, 'BTC')
    },
    legacy(2),
  ],
  [
    'an address whose wallet mate it paid',
    async () => {
      await transfer(D, segwit(3), 'BTC')
      await spentTogether(segwit(3), segwit(2))
    },
    legacy(2),
  ],
])('by labels of another form of the key of %s', async (_name, dealt, labelled) => {
  await inLedger('BTC')
  await dealt()
  await publish(installation, { added: [labelled] })
  await look()
  expect(await due(installation)).toEqual([D])
})

test('by a TRON address whose EVM twin it dealt with', async () => {
  await inLedger('ETH')
  const twin = `0x${'17'.repeat(20)}`
  await transfer(C, twin)
  await publish(installation, { added: [encodeBase58Check(Uint8Array.from([0x41, ...hashOf(0x17)]))] })
  await look()
  expect(await due(installation)).toEqual([C])
})

test.each(['0xsender', '0xcontract'])('by labels of %s of a token that no table knows', async (labelled) => {
  await inLedger('ETH')
  await installation.database.execute(
    `INSERT INTO ledger.unknown_token (transfer_id, segment_id, chain, from_address, to_address, contract, amount)
     VALUES (gen_random_uuid(), 1, 'ETH', '0xsender', $1, '0xcontract', 1)`,
    [C],
  )
  await publish(installation, { added: [labelled] })
  await look()
  expect(await due(installation)).toEqual([C])
})

test('by the label of the contract of a known token: every watch of the chain', async () => {
  await inLedger('ETH')
  await publish(installation, { added: ['0xdac17f958d2ee523a2206206994597c13d831ec7'] })
  await look()
  expect(await due(installation)).toEqual([A, B, C])
})

test('on another chain, if the address was watched without a named one', async () => {
  await watch(installation, [legacy(9)], { chain: 'BTC', candidateChains: ['BTC', 'BCH', 'BSV'] })
  await inLedger('BSV')
  await transfer(legacy(9), legacy(8), 'BSV')
  await publish(installation, { added: [segwit(8)] })
  await look()
  expect(await due(installation)).toEqual([legacy(9)])
  await settleAll(installation)
  await segment(installation, 'BSV')
  await look()
  expect(await due(installation)).toEqual([legacy(9)])
})

test('by what a provider told of an address that transfers lead to, and by no other history of the chain', async () => {
  await inLedger('ETH')
  await transfer(C, '0xm')
  await transfer('0xx', '0xm')
  await segment(installation, 'ETH', '0xx')
  await look()
  expect(await due(installation)).toEqual([C])
  await settleAll(installation)
  await segment(installation, 'ETH', A)
  await look()
  expect(await due(installation)).toEqual([A])
})

test('by labels of many who dealt with one address: every watch of the chain, if more are reached than are searched', async () => {
  await inLedger('ETH')
  const RING = 20_500
  const ringOf = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `0x${(1_000_000 + from + n).toString(16).padStart(40, '0')}`)
  await installation.database.execute(
    `INSERT INTO ledger.address (chain, address)
     SELECT 'ETH', '0x' || lpad(to_hex(1000000 + n), 40, '0') FROM generate_series(0, $1::int8 - 1) n
     UNION ALL SELECT 'ETH', '0xhub'`,
    [RING],
  )
  await installation.database.execute(
    `INSERT INTO ledger.transfer (transfer_id, segment_id, from_id, to_id, kind, tx_hash, amount)
     SELECT gen_random_uuid(), 1, own.address_id, hub.address_id, 'n', '', 1 FROM ledger.address own, ledger.address hub
     WHERE hub.address = '0xhub' AND own.address <> hub.address`,
  )
  const watched = ringOf(10_000, 300)
  await watch(installation, watched)
  await settleAll(installation)
  // Each of these is reached twice: by itself, and over the address that all dealt with.
  await publish(installation, { added: ringOf(0, 700) })
  await look()
  expect(await due(installation)).toEqual([A, B, C, ...watched])
})
