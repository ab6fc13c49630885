/** An adversary brings designated money to a clean wallet in a real ledger: no limit, format, spelling or cluster leaves it green. */
import { casesWithin, runSeed } from '@cupel/testkit'
import { writtenForms } from '@cupel/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  asBitcoinEtl,
  asCsv,
  asEtl,
  CLEAN,
  declareAll,
  ELSEWHERE,
  imported,
  label,
  LIMITS,
  newWorld,
  placed,
  screened,
  spend,
  USDC,
  type Chain,
  type File,
  type Payment,
  type World,
} from './adversary/world.js'
import { startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  await declareAll(ledger)
}, 60_000)
afterAll(async () => await ledger.close())

type Choose = <T>(choices: readonly T[]) => T
interface Move {
  readonly on: Chain
  /** The least level that the visible facts prove; grey: it is only not green. */
  readonly least: 'grey' | 'orange'
  readonly play: (world: World, choose: Choose) => readonly File[]
}

/** What came in before, in hundredths of the dust. */
const FUNDS = 100_000n
/** Three hundredths of that, and a quarter of it: of twice the funds too much to be nobody's, of three times not. */
const [SMALL, LARGE] = [3_000n, 25_000n]
/** Less than a hundredth of it, and a few times the dust. */
const TINY = 900n

/** How the exchange's payment moves value. */
const ways: Readonly<Record<Chain, readonly Pick<Payment, 'kind' | 'contract'>[]>> = {
  ETH: [{ kind: 'native' }, { kind: 'internal' }, { kind: 'token', contract: USDC }],
  BTC: [{ kind: 'utxo' }],
}
const path = (
  world: World,
  names: readonly string[],
  units: bigint,
  way: Pick<Payment, 'kind' | 'contract'> = {},
) =>
  names.slice(1).map((to, at): Payment => ({ ...way, from: world.at(names[at]!), to: world.at(to), units }))
const csv = (world: World, payments: readonly Payment[]): readonly File[] => [
  asCsv(world.chain, placed(payments)),
]
const strangers = (world: World, to: string, count: number): readonly Payment[] =>
  Array.from({ length: count }, (_, at) => ({
    from: world.at(`stranger ${at}`),
    to: world.at(to),
    units: 1n,
  }))
const lines = (...transactions: readonly string[]): readonly File[] => [
  { format: 'bitcoin-etl', text: transactions.join('\n') },
]

function designate(
  world: World,
  name: string,
  form: (address: string) => readonly [string, string] = (address) => [world.chain, address],
): void {
  const [chain, address] = form(world.at(name))
  world.labels.push(label(chain, address))
}

/** Spends together with the designated address, which pays itself. */
const mated = (world: World, mate: string): string =>
  spend([[world.at('listed'), 50_000n], [world.at(mate), 50_000n]], [[world.at('change'), 100_000n]]) // prettier-ignore

const moves: Readonly<Record<string, Move>> = {
  'dusts an intermediary until it looks like a hub': {
    on: 'ETH',
    least: 'grey',
    play(world) {
      designate(world, 'listed')
      const dust = strangers(world, 'middle', LIMITS.hub_counterparties + 3)
      return csv(world, [...path(world, ['listed', 'middle', 'wallet'], TINY), ...dust])
    },
  },
  'floods the wallet with payments of nothing': {
    on: 'ETH',
    least: 'orange',
    play(world) {
      designate(world, 'listed')
      return csv(world, [
        ...path(world, ['listed', 'wallet'], SMALL),
        ...strangers(world, 'wallet', LIMITS.transfers + 2),
      ])
    },
  },
  'hides behind many larger payments': {
    on: 'ETH',
    least: 'orange',
    play(world) {
      designate(world, 'listed')
      const larger = Array.from({ length: LIMITS.transfers + 2 }, () =>
        path(world, ['exchange', 'wallet'], SMALL),
      ).flat()
      return csv(world, [...path(world, ['listed', 'wallet'], 150n), ...larger])
    },
  },
  'pays ten equal outputs out of two designated wallets': {
    on: 'BTC',
    least: 'orange',
    play(world, choose) {
      const inputs = Array.from({ length: choose([2, 10]) }, (_, at) => `input ${at}`)
      for (const one of inputs) designate(world, one)
      const outputs = ['wallet', ...Array.from({ length: 9 }, (_, at) => `payee ${at}`)]
      const each = (10n * SMALL) / BigInt(inputs.length)
      return lines(
        spend(
          inputs.map((one) => [world.at(one), each]),
          outputs.map((one) => [world.at(one), SMALL]),
        ),
      )
    },
  },
  'pays with a token that no table knows': {
    on: 'ETH',
    least: 'grey',
    play(world) {
      designate(world, 'listed')
      return csv(world, path(world, ['listed', 'wallet'], 1n, { kind: 'token', contract: world.at('token') }))
    },
  },
  'pays on a chain that the caller does not name': {
    on: 'ETH',
    least: 'orange',
    play(world) {
      designate(world, 'listed')
      const [file] = csv(world, path(world, ['listed', 'wallet'], 900n))
      return [{ ...file!, text: file!.text.replaceAll('\nETH,', `\n${ELSEWHERE},`), chain: ELSEWHERE }]
    },
  },
  'is delisted after it paid': {
    on: 'ETH',
    least: 'orange',
    play(world, choose) {
      const ended = {
        validFrom: choose([null, '2020-01-01']),
        validTo: '2026-11-15',
        knownTo: '2026-11-16T00:00:00.000Z',
      }
      world.labels.push(label('ETH', world.at('listed'), ended))
      return csv(world, path(world, ['listed', 'wallet'], SMALL))
    },
  },
  'mints in between': {
    on: 'ETH',
    least: 'grey',
    play(world) {
      designate(world, 'listed')
      const burn = `0x${'0'.repeat(40)}`
      const way = { kind: 'token', contract: USDC, units: SMALL }
      return csv(world, [
        { ...way, from: world.at('listed'), to: burn },
        { ...way, from: burn, to: world.at('wallet') },
      ])
    },
  },
  'is designated as the TRX twin, or in other letters': {
    on: 'ETH',
    least: 'orange',
    play(world, choose) {
      const twin = (address: string) => writtenForms(address, 'ETH', 'TRX').find((form) => form !== address)!
      designate(world, 'listed', (address) =>
        choose([
          ['TRX', twin(address)] as const,
          ['ETH', `0x${address.slice(2).toUpperCase()}`] as const,
          ['BSC', address] as const,
        ]),
      )
      const from = choose([world.at('listed'), `0x${world.at('listed').slice(2).toUpperCase()}`])
      return csv(
        world,
        path(world, ['listed', 'wallet'], SMALL).map((one) => ({ ...one, from })),
      )
    },
  },
  'is designated as 1… and pays as bc1q…': {
    on: 'BTC',
    least: 'orange',
    play(world, choose) {
      const forms = writtenForms(`1BoatSLRHtKNngkdXEeobR76b53LETtpyT`, 'BTC', 'BTC')
      const [one, other] = choose([forms, forms.toReversed()])
      world.labels.push(label('BTC', one!))
      return csv(world, [{ from: other!, to: world.at('wallet'), units: SMALL }])
    },
  },
  'tells its clean funds again in other formats': {
    on: 'ETH',
    least: 'grey',
    play(world, choose) {
      const way = choose(ways.ETH)
      const clean = placed(path(world, ['exchange', 'wallet'], FUNDS, way))
      const dirty = placed(path(world, ['stranger', 'wallet'], LARGE, way))
      const again = [
        asCsv('ETH', clean),
        asCsv('ETH', clean, { index: true }),
        // Without a block it lies in no range, so that nothing is green.
        ...choose([[], [], [asCsv('ETH', clean, { block: true, index: true })]]),
        ...asEtl(clean),
      ]
      const from = choose([0, 1, 2, 3])
      return [asCsv('ETH', dirty), ...again.slice(from), ...again.slice(0, from)]
    },
  },
  'tells its clean outputs again in other formats': {
    on: 'BTC',
    least: 'grey',
    play(world, choose) {
      const clean = placed(path(world, ['exchange', 'wallet'], FUNDS))
      const again = [
        asBitcoinEtl(clean),
        asCsv('BTC', clean),
        ...choose([[], [asCsv('BTC', clean, { block: true, index: true })]]),
      ]
      return [
        asCsv('BTC', placed(path(world, ['stranger', 'wallet'], LARGE))),
        ...choose([again, again.toReversed()]),
      ]
    },
  },
  'pays out of the wallet of a designated address': {
    on: 'BTC',
    least: 'orange',
    play(world) {
      designate(world, 'listed')
      return [...lines(mated(world, 'mate')), ...csv(world, path(world, ['mate', 'wallet'], SMALL))]
    },
  },
  'pays over two hops, the first from such a wallet': {
    on: 'BTC',
    least: 'grey',
    play(world) {
      designate(world, 'listed')
      return [...lines(mated(world, 'mate')), ...csv(world, path(world, ['mate', 'one', 'wallet'], SMALL))]
    },
  },
  'pays over three hops, the first from such a wallet': {
    on: 'BTC',
    least: 'grey',
    play(world) {
      designate(world, 'listed')
      return [
        ...lines(mated(world, 'mate')),
        ...csv(world, path(world, ['mate', 'one', 'two', 'wallet'], LARGE)),
      ]
    },
  },
  'pays from the cluster of a clean exchange': {
    on: 'BTC',
    least: 'grey',
    play(world, choose) {
      designate(world, 'deposit')
      const joined = spend([[world.at('exchange'), 1_000n], [world.at('deposit'), 1_000n], [world.at('mate'), 1_000n]], [[world.at('change'), 3_000n]]) // prettier-ignore
      return [
        ...lines(joined),
        ...csv(
          world,
          path(
            world,
            choose([
              ['mate', 'wallet'],
              ['mate', 'one', 'wallet'],
            ]),
            LARGE,
          ),
        ),
      ]
    },
  },
}

/** A generator of choices: the same seed gives the same world. */
function chooserOf(seed: number): Choose {
  let state = seed >>> 0
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return choices[Math.floor((state / 2 ** 32) * choices.length)]!
  }
}

async function play(name: string, choose: Choose): Promise<void> {
  const { on, least, play: played } = moves[name]!
  const world = newWorld(on)
  world.labels.push(label(on, world.at('exchange'), CLEAN))
  const way = choose(ways[on])
  const funds = path(world, ['exchange', 'wallet'], FUNDS, way)
  // A wallet has no code, so it sends no call within a transaction.
  const spends = way.kind === 'internal' ? { kind: 'native' } : way
  const spent = choose([true, false]) ? path(world, ['wallet', 'shop'], 500n, spends) : []
  await imported(ledger, on, csv(world, [...funds, ...spent]))
  const before = (await screened(ledger, world)).risk
  expect(before.level, `${name}: before the move, ${before.level_reasons.join()}`).toBe('green')
  await imported(ledger, on, played(world, choose))
  const { risk } = await screened(ledger, world)
  const said = `${name}: ${JSON.stringify({ ...risk, evidence: risk.evidence.length })}`
  expect(risk.level, said).not.toBe('green')
  if (least === 'orange') expect(['orange', 'red'], said).toContain(risk.level)
}

test('no move leaves the wallet green, and none hides a direct payment', { timeout: 1_800_000 }, async () => {
  const names = Object.keys(moves)
  const seed = runSeed()
  for (const at of casesWithin(
    { name: 'adversary in a ledger', full: 1_000, minimum: names.length, demanded: 60 },
    seed,
  ))
    await play(names[at % names.length]!, chooserOf(seed + at))
})
