/** The division of all value of one asset in one direction; each own transfer is divided once. */
import {
  scaled,
  sharesOf,
  sumOrNull,
  taintOf,
  valueOf,
  type ReferenceCase,
  type ReferenceShare,
  type ReferenceTransfer,
} from './reference-case.js'
import { addressOfSource, fifoUnits, partsByRoute, sourceOf } from './reference-taint.js'

export interface ReferenceBreakdown {
  readonly total: bigint
  readonly microUsd: bigint | null
  readonly isComplete: boolean
  /** Keys are `category relation`. */
  readonly parts: ReadonlyMap<string, ReferencePart>
}

export interface ReferencePart {
  readonly amount: bigint
  readonly microUsd: bigint | null
  readonly counterparties: ReadonlyMap<string, ReferenceShare>
}

interface Piece {
  readonly key: string
  readonly source: string
  readonly amount: bigint
  readonly microUsd: bigint | null
  readonly of: ReferenceTransfer
}

const LEADING = ['sanctions', 'darknet', 'stolen', 'scam', 'mixer', 'clean_exchange', 'issuance']
const ISSUANCE = 'i'

export function divided(
  given: ReferenceCase,
  own: readonly ReferenceTransfer[],
  direction: 'in' | 'out',
  isComplete: boolean,
  uncounted: readonly ReferenceTransfer[] = [],
): ReferenceBreakdown {
  const pieces = [
    ...own.flatMap((one) => piecesOf(given, one, direction)),
    ...uncounted.map((one): Piece => ({
      key: 'uncounted ',
      source: direction === 'in' ? one.from : one.to,
      amount: scaled(given, one),
      microUsd: valueOf(given, one, one.amount),
      of: one,
    })),
  ]
  const parts = new Map<string, Piece[]>()
  for (const piece of pieces) parts.set(piece.key, [...(parts.get(piece.key) ?? []), piece])
  return {
    total: [...own, ...uncounted].reduce((sum, one) => sum + scaled(given, one), 0n),
    microUsd: pieces.map(({ microUsd }) => microUsd).reduce(sumOrNull, 0n),
    isComplete,
    parts: new Map(
      [...parts].map(([key, list]) => [
        key,
        {
          amount: list.reduce((sum, { amount }) => sum + amount, 0n),
          microUsd: list.map(({ microUsd }) => microUsd).reduce(sumOrNull, 0n),
          counterparties: sharesOf(list),
        },
      ]),
    ),
  }
}

/** The counterparty's leading category takes all, else a hub, else the value that came through it; the rest is unattributed. */
function piecesOf(given: ReferenceCase, one: ReferenceTransfer, direction: 'in' | 'out'): readonly Piece[] {
  const other = direction === 'in' ? one.from : one.to
  const { scale } = given.assets[one.asset]!
  const piece = (key: string, source: string, amount: bigint): Piece => ({
    key,
    source,
    amount: amount * scale,
    microUsd: valueOf(given, one, amount),
    of: one,
  })
  const leading = categoriesOf(given, sourceOf(given, other, { ...one, ...firstOf(one) }))[0]
  if (leading !== undefined) return [piece(`${leading} direct`, other, one.amount)]
  if (given.hubs.includes(other)) return [piece('service direct', other, one.amount)]
  let left = one.amount
  /** Sums the amounts of one source in one category, so that they are valued once. */
  const taken = new Map<string, { category: string; source: string; amount: bigint }>()
  for (const { category, source, amount } of throughOf(given, one, direction)) {
    const part = amount < left ? amount : left
    left -= part
    const key = `${category} ${addressOfSource(source)}`
    taken.set(key, { category, source, amount: (taken.get(key)?.amount ?? 0n) + part })
  }
  const pieces = [...taken.values()]
    .filter(({ amount }) => amount > 0n)
    .map(({ category, source, amount }) => piece(`${category} indirect`, source, amount))
  return left > 0n ? [...pieces, piece('unattributed ', other, left)] : pieces
}

const firstOf = ({ bundle }: ReferenceTransfer) =>
  bundle === undefined ? {} : { firstTime: bundle.firstTime }

interface Through {
  readonly category: string
  readonly route: readonly string[]
  readonly source: string
  readonly ppm: number
  readonly proven: boolean
  readonly amount: bigint
}

/** Value that came through the other side: leading categories first, then by route, proven ones first. Clean services count as sources. */
function throughOf(
  given: ReferenceCase,
  one: ReferenceTransfer,
  direction: 'in' | 'out',
): readonly Through[] {
  const clean = Object.fromEntries(given.clean.map((name) => [name, given.sources[name] ?? [CLEAN]]))
  const known = { ...given.sources, ...clean }
  const taint = taintOf({ ...given, sources: known }, one, direction)
  if (taint === null) return []
  const depth = given.hops - 1
  const best = (
    routes: readonly { readonly route: readonly string[]; readonly proven: boolean }[],
  ): Omit<Through, 'amount'> | undefined =>
    routes
      .flatMap(({ route, proven }) => {
        const category = leadingOfRoute(given, route)
        if (category === undefined) return []
        const source = route[0]!
        return [{ category, route, source, proven, ppm: ppmOf(given, source, category) }]
      })
      .sort((a, b) => orderOf(a) - orderOf(b) || bySureness(a, b))[0]
  const found: Through[] =
    given.method === 'fifo'
      ? fifoUnits(taint, direction, taint.last, depth).flatMap((unit) => {
          const lead = best(unit.map((one) => ({ ...one, route: [...one.route, taint.last.from] })))
          return lead === undefined ? [] : [{ ...lead, amount: 1n }]
        })
      : partsByRoute(taint, direction, taint.last, depth, true).flatMap(({ route, proven, amount }) => {
          const lead = best([{ route, proven }])
          return lead === undefined ? [] : [{ ...lead, amount }]
        })
  const inTurn = (a: Through, b: Through): number =>
    orderOf(a) - orderOf(b) || (given.method === 'poison' ? bySureness(a, b) : byRoute(a, b))
  return [...found].sort(inTurn)
}

type Lead = Omit<Through, 'amount'>

const orderOf = ({ category }: Lead): number => LEADING.indexOf(category)
/** Routes with only proven transfers first, then by address. */
const byRoute = (a: Lead, b: Lead): number =>
  Number(b.proven) - Number(a.proven) || (a.route.join(' ') < b.route.join(' ') ? -1 : 1)
const bySureness = (a: Lead, b: Lead): number => b.ppm - a.ppm || byRoute(a, b)

const ppmOf = ({ sources }: ReferenceCase, address: string, category: string): number =>
  category === 'issuance'
    ? 1_000_000
    : ((sources[address] ?? []).find((one) => one.category === category)?.ppm ?? CLEAN.ppm)

const CLEAN = { category: 'clean_exchange', subcategory: '', ppm: 850_000, designatedAt: null }

/** Skips a category for which another source on the route stands. */
const leadingOfRoute = (given: ReferenceCase, route: readonly string[]): string | undefined =>
  categoriesOf(given, route[0]!).find(
    (category) =>
      (category === 'sanctions' || !route.slice(1).includes(COINJOIN_NODE)) &&
      route.slice(1).every((at) => !categoriesOf(given, at).includes(category)),
  )

/** Behind a CoinJoin nobody is known but the designated participants. */
const COINJOIN_NODE = 'j'

/** The categories to which an address is attributed with enough confidence, the leading one first. */
const categoriesOf = ({ sources, clean }: ReferenceCase, address: string): readonly string[] =>
  LEADING.filter((category) =>
    category === 'issuance'
      ? address === ISSUANCE
      : category === 'clean_exchange'
        ? clean.includes(address) && sources[address] === undefined
        : (sources[address] ?? []).some((one) => one.category === category && one.ppm >= 500_000),
  )
