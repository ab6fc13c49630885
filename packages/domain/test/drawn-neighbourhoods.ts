/** Made-up neighbourhoods for property tests of exposure, in the plain terms of the reference. */
import fc from 'fast-check'
import type { TaintMethod } from '../src/index.js'
import type { ReferenceCase, ReferenceSource, ReferenceTransfer } from './reference-exposure.js'

/** `a` is screened, `z` is nobody's address. */
export const nodes = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const others = nodes.slice(1)

/** What is declared of a ledger, as whole histories of native transfers and of tokens. */
export const histories = {
  whole: { native: true, token: true },
  'native alone': { native: true, token: false },
  'from a later height': { native: false, token: false },
  'until 30 hours ago': { native: false, token: false },
  none: { native: false, token: false },
} as const
export type History = keyof typeof histories

export interface DrawnNeighbourhood extends ReferenceCase {
  readonly history: History
  readonly truncated: boolean
}

/** Reads choices off one number, least significant first: one drawn number is far cheaper than one drawn record. */
function chooser(drawn: number): <T>(choices: readonly T[]) => T {
  let rest = drawn
  return (choices) => {
    const chosen = choices[rest % choices.length]!
    rest = Math.floor(rest / choices.length)
    return chosen
  }
}

/** Most transfers are where a path is: from sources over others to the screened address, and back. */
const routes = [
  [
    ['e', 'f', 'b'],
    ['b', 'c', 'd'],
  ],
  [
    ['b', 'c', 'd'],
    ['a', 'a', 'c'],
  ],
  [nodes, nodes],
] as const
const sparse = [...nodes, 'z']

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const amounts = upTo(41)
const masks = upTo(32)
const dusts = upTo(20)
const times = [0, 1, 2, 3, 4, 5, 6, null]
/** Most are of one asset, some of another, few of one that does not count. */
const assets = [...Array<''>(9).fill(''), ...Array<'token'>(4).fill('token'), 'unknown token'] as const

function drawnTransfer(drawn: number, scale: bigint, index: number): ReferenceTransfer {
  const choose = chooser(drawn)
  const route = choose([0, 1, 2, 0, 1, 2, 0, 1])
  const [first, second] = index % 16 === 15 ? [sparse, sparse] : routes[route]!
  const [one, other] = [choose<string>(first), choose<string>(second)]
  const turned = choose([false, true])
  const amount = BigInt(choose(amounts)) * scale
  const [time, proven] = [choose(times), choose([true, false, true])]
  return {
    id: String(index).padStart(4, '0'),
    from: turned ? other : one,
    to: turned ? one : other,
    amount,
    time,
    proven,
    asset: choose(assets),
    block: choose([5, 5, 5, 5, 6, 6, 6, null]),
    position: choose([0, null]),
  }
}

const categoryChoices = ['sanctions', 'scam', 'stolen', 'mixer', 'darknet'] as const
export const confidences = [300_000, 499_999, 500_000, 777_777, 1_000_000] as const
export const DESIGNATED_AT = 3

function drawnSources(drawn: number): Readonly<Record<string, readonly ReferenceSource[]>> {
  const choose = chooser(drawn)
  const names = new Set([choose(['e', 'f']), choose(others)])
  const sources = [...names].map((name): [string, readonly ReferenceSource[]] => {
    const list = [choose([1, 2]), 1].slice(0, choose([1, 2])).map((): ReferenceSource => ({
      category: choose(categoryChoices),
      ppm: choose(confidences),
      designatedAt: choose([null, DESIGNATED_AT]),
    }))
    return [name, [...new Map(list.map((one) => [one.category, one])).values()]]
  })
  return Object.fromEntries(sources)
}

const historyChoices = Object.keys(histories) as History[]
/** A history that is whole is the one that shares can be taken of. */
const historyDraws = [...historyChoices, 'whole', 'whole', 'none'] as const

const weights = { sanctions: 1, darknet: 0.95, stolen: 0.95, scam: 0.9, mixer: 0.85 }
const number = fc.noBias(fc.nat(2 ** 31 - 1))
const transfersOf = (minLength: number, maxLength: number) => fc.array(number, { minLength, maxLength })

/** Neighbourhoods to be measured by one of the methods; one in 33 is as large as the reference can bear. */
export const drawnNeighbourhoods = (methods: readonly TaintMethod[]): fc.Arbitrary<DrawnNeighbourhood> =>
  fc
    .tuple(
      fc.oneof({ arbitrary: transfersOf(3, 14), weight: 32 }, { arbitrary: transfersOf(15, 30), weight: 1 }),
      number,
      number,
    )
    .map(([draws, labels, rest]): DrawnNeighbourhood => {
      const choose = chooser(rest)
      const method = choose(methods)
      // FIFO moves single base units.
      const scale = method === 'fifo' ? 1n : choose([1n, 1n, 997n, 10n ** 12n + 39n])
      const transfers = draws.map((drawn, index) => drawnTransfer(drawn, scale, index))
      const mask = choose(masks)
      const followed = others.filter((_, index) => mask & (1 << index))
      const sources = drawnSources(labels)
      const [hops, dust] = [choose([1, 2, 3, 4]), BigInt(1 + choose(dusts)) * scale]
      const [history, truncated, isCleanService] = [
        choose(historyDraws),
        choose([false, false, false, false, false, false, false, true]),
        choose([false, false, false, false, false, false, false, true]),
      ]
      const own = transfers.filter(({ from, to }) => from === 'a' || to === 'a').map(({ id }) => id)
      return {
        screened: 'a',
        transfers,
        sources,
        followed,
        // A hub is nobody's, and nobody looks behind it.
        hubs: choose([true, false])
          ? others.filter((at) => !followed.includes(at) && sources[at] === undefined)
          : [],
        hops,
        method,
        ownIds: truncated ? own.slice(0, -1) : own,
        complete: truncated ? { native: false, token: false } : histories[history],
        history,
        truncated,
        isCleanService,
        dust,
        weights,
      }
    })
