/**
 * A second reckoning of exposure, written from the rules alone and sharing no code with the product. It walks every route
 * by itself (haircut), moves single base units through queues (FIFO), or asks yes or no (poison); points are fractions.
 * Slow on purpose; where it and the product differ, one of them is wrong.
 */

export interface ReferenceTransfer {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Null where unknown, like block and position. */
  readonly time: number | null
  readonly proven: boolean
  /** Empty for the native asset, `token` for one of the asset table; any other counts for nothing. */
  readonly asset: string
  readonly block: number | null
  readonly position: number | null
}

export interface ReferenceSource {
  readonly category: string
  readonly ppm: number
  readonly designatedAt: number | null
}

export interface ReferenceCase {
  readonly screened: string
  readonly transfers: readonly ReferenceTransfer[]
  /** Transfers of the screened address that were read for its own sake. */
  readonly ownIds: readonly string[]
  readonly sources: Readonly<Record<string, readonly ReferenceSource[]>>
  readonly followed: readonly string[]
  /** Unlabelled addresses that deal with too many to be followed. */
  readonly hubs: readonly string[]
  readonly hops: number
  readonly method: 'haircut' | 'fifo' | 'poison'
  /** Whether everything since the chain began is known. */
  readonly complete: { readonly native: boolean; readonly token: boolean }
  /** The screened address is a clean service. */
  readonly isCleanService: boolean
  readonly dust: bigint
  readonly weights: Readonly<Record<string, number>>
}

export interface ReferenceMeasure {
  amount: bigint
  provenAmount: bigint
  total: bigint
  totalComplete: boolean
  confidencePpm: number
  hundredths: number
  /** Weighted, hundredths. */
  contribution: number
}

/** One transfer as a direction sees it: times, blocks and places run backwards on the way out. */
interface Step extends Pick<ReferenceTransfer, 'id' | 'from' | 'to' | 'amount' | 'proven'> {
  readonly when: readonly number[]
}

type AssetCase = Omit<ReferenceCase, 'transfers'> & { readonly transfers: readonly Step[] }

interface Part {
  readonly route: readonly string[]
  readonly proven: boolean
  amount: bigint
}

const caps: Readonly<Record<string, readonly [number, number, number, number]>> = {
  sanctions: [90, 95, 60, 60],
  darknet: [80, 80, 45, 45],
  stolen: [85, 20, 50, 10],
  mixer: [75, 60, 35, 25],
  scam: [75, 15, 40, 5],
}

/** Measures by `category relation direction weak pre asset`. */
export function referenceExposure(given: ReferenceCase): Map<string, ReferenceMeasure> {
  const measures = new Map<string, ReferenceMeasure>()
  for (const asset of ['', 'token'])
    for (const direction of ['in', 'out'] as const) measureOne(given, asset, direction, measures)
  return measures
}

function measureOne(
  given: ReferenceCase,
  asset: string,
  direction: 'in' | 'out',
  measures: Map<string, ReferenceMeasure>,
): void {
  const counted = given.transfers.filter(
    (one) =>
      one.asset === asset && one.amount > 0n && one.from !== one.to && one.from !== 'z' && one.to !== 'z',
  )
  // The way out is the way in with time and every transfer reversed.
  const turn = direction === 'in' ? 1 : -1
  const mirrored = counted.map((one): Step => ({
    id: one.id,
    from: direction === 'in' ? one.from : one.to,
    to: direction === 'in' ? one.to : one.from,
    amount: one.amount,
    proven: one.proven,
    when: [one.time, one.block, one.position].map((value) => turn * (value ?? -Infinity)),
  }))
  const own = mirrored.filter(({ to, id }) => to === given.screened && given.ownIds.includes(id))
  const total = own.reduce((sum, { amount }) => sum + amount, 0n)
  const totalComplete =
    given.complete[asset === '' ? 'native' : 'token'] && own.every(({ when }) => Number.isFinite(when[1]))
  const rows = new Map<string, { amount: bigint; ppm: number; proven: boolean }[]>()
  const add = (row: string, part: { amount: bigint; ppm: number; proven: boolean }): void => {
    rows.set(row, [...(rows.get(row) ?? []), part])
  }
  for (const last of own) {
    if (given.hubs.includes(last.from))
      add(`unattributed direct ${direction} true false`, { amount: last.amount, ppm: 0, proven: last.proven })
    const parts: Part[] = [{ route: [last.from], proven: last.proven, amount: last.amount }]
    if (given.hops > 1 && given.followed.includes(last.from))
      parts.push(...partsThrough({ ...given, transfers: mirrored }, direction, last, given.hops - 1))
    const chosen = new Map<string, { part: Part; source: ReferenceSource }[]>()
    for (const part of parts) {
      for (const source of given.sources[part.route[0]!] ?? []) {
        const isStandIn = part.route
          .slice(1)
          .some((at) =>
            (given.sources[at] ?? []).some((one) => one.category === source.category && one.ppm >= 500_000),
          )
        if (isStandIn) continue
        const relation = part.route.length === 1 ? 'direct' : 'indirect'
        const key = `${source.category} ${relation}`
        chosen.set(key, [...(chosen.get(key) ?? []), { part, source }])
      }
    }
    for (const [key, found] of chosen) {
      const standing = given.method === 'poison' && key.endsWith('indirect') ? [surest(found)] : found
      for (const { part, source } of standing) {
        const time = turn * last.when[0]!
        const isPre =
          source.category === 'sanctions' &&
          source.designatedAt !== null &&
          Number.isFinite(time) &&
          time < source.designatedAt
        const row = `${key} ${direction} ${source.ppm < 500_000} ${isPre}`
        add(row, { amount: part.amount, ppm: source.ppm, proven: part.proven })
      }
    }
  }
  for (const [key, parts] of rows) {
    const all = mean(parts)
    const proven = mean(parts.filter((part) => part.proven))
    const hundredths = points({ ...given, totalComplete }, key, total, all, proven)
    const weight = given.weights[key.split(' ')[0]!] ?? 0
    measures.set(`${key} ${asset}`, {
      amount: all.amount,
      provenAmount: proven.amount,
      total,
      totalComplete,
      confidencePpm: all.ppm,
      hundredths,
      contribution: weightedOf(hundredths, weight),
    })
  }
}

const weightedOf = (hundredths: number, weight: number): number =>
  Math.floor((hundredths * weight * 1e6 + 5e5) / 1e6)

function surest(found: { part: Part; source: ReferenceSource }[]) {
  const sign = ({ proven, route }: Part): string => `${proven ? '+' : '-'}${route.join(' ')}`
  return [...found].sort(
    (a, b) =>
      b.source.ppm - a.source.ppm ||
      Number(b.part.proven) - Number(a.part.proven) ||
      (sign(a.part) < sign(b.part) ? -1 : 1),
  )[0]!
}

function mean(parts: readonly { amount: bigint; ppm: number }[]): { amount: bigint; ppm: number } {
  const amount = parts.reduce((sum, part) => sum + part.amount, 0n)
  const weight = parts.reduce((sum, part) => sum + part.amount * BigInt(part.ppm), 0n)
  return { amount, ppm: amount === 0n ? 0 : halfUp(weight, amount) }
}

const halfUp = (top: bigint, bottom: bigint): number => {
  const whole = top / bottom
  return Number((top - whole * bottom) * 2n >= bottom ? whole + 1n : whole)
}

function points(
  given: ReferenceCase & { readonly totalComplete: boolean },
  key: string,
  total: bigint,
  all: { amount: bigint; ppm: number },
  proven: { amount: bigint; ppm: number },
): number {
  const [category, relation, direction, weak, pre] = key.split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ]
  if (weak === 'true' || given.isCleanService) return 0
  const of = (value: { amount: bigint; ppm: number }): number => {
    if (value.amount === 0n || (direction === 'in' && value.amount < given.dust)) return 0
    const decades = Math.log10(Number(value.amount) / Number(given.dust)) / 3
    const size = BigInt(Math.round(Math.min(1, Math.max(0, decades)) * 1e6))
    let factor = size * 1_000_000n
    if (given.totalComplete) {
      const share = BigInt(halfUp(value.amount * 1_000_000n, total))
      const [from, width] = category === 'sanctions' ? [0n, 100_000n] : [10_000n, 240_000n]
      const within =
        share <= from
          ? 0n
          : share >= from + width
            ? 1_000_000n
            : BigInt(halfUp((share - from) * 1_000_000n, width))
      const bySize = size * (category === 'sanctions' ? 1_000_000n : 600_000n)
      const byShare = value.amount >= given.dust ? within * 1_000_000n : 0n
      factor = bySize > byShare ? bySize : byShare
    }
    const column = (relation === 'direct' ? 0 : 2) + (direction === 'in' ? 0 : 1)
    const cap = pre === 'true' ? Math.min(40, caps[category]![column]!) : caps[category]![column]!
    const reckoned = halfUp(BigInt(cap) * 100n * BigInt(value.ppm) * factor, 10n ** 18n)
    return category === 'sanctions' && relation === 'direct' && pre === 'false'
      ? Math.max(2_500, reckoned)
      : reckoned
  }
  if (all.amount === proven.amount) return of(all)
  return Math.max(of(proven), Math.min(unprovenLimit(given.weights[category]!), of(all)))
}

const limits = new Map<number, number>()

/** The most points that weigh at most 69.99, found by trying. */
function unprovenLimit(weight: number): number {
  let limit = limits.get(weight) ?? 0
  if (limits.has(weight)) return limit
  while (limit < 10_000 && weightedOf(limit + 1, weight) <= 6_999) limit += 1
  limits.set(weight, limit)
  return limit
}

/** Earlier first, what is unknown before all; at one place what came in first; then the id. Mirrored time runs backwards in every respect. */
function inOrder(transfers: readonly Step[], at: string, direction: 'in' | 'out'): readonly Step[] {
  return transfers
    .filter(({ from, to }) => from === at || to === at)
    .sort((a, b) => {
      const place = a.when.findIndex((value, index) => value !== b.when[index])
      if (place !== -1) return a.when[place]! - b.when[place]!
      const arrival = Number(b.to === at) - Number(a.to === at)
      if (arrival !== 0) return arrival
      const byId = a.id < b.id ? -1 : 1
      return direction === 'in' ? byId : -byId
    })
}

/** Parts of `last`, which leaves `last.from`, over 1 to `depth` transfers before it. */
function partsThrough(given: AssetCase, direction: 'in' | 'out', last: Step, depth: number): Part[] {
  if (given.method === 'fifo') return fifoParts(given, direction, last, depth)
  const routes = routesTo(given, last.from, depth)
  return routes.flatMap((route) =>
    [true, false].flatMap((proven): Part[] => {
      const amount = partOfRoute(given, direction, last, route, proven)
      return amount === 0n ? [] : [{ route: [...route, last.from], proven, amount }]
    }),
  )
}

/** Every sequence of addresses, source first, from which value can come to `at` over at most `depth` transfers. */
function routesTo(given: AssetCase, at: string, depth: number): string[][] {
  const senders = [...new Set(given.transfers.filter(({ to }) => to === at).map(({ from }) => from))]
  return senders
    .filter((sender) => sender !== given.screened)
    .flatMap((sender) => [
      ...((given.sources[sender] ?? []).length > 0 ? [[sender]] : []),
      ...(depth > 1 && given.followed.includes(sender)
        ? routesTo(given, sender, depth - 1).map((route) => [...route, sender])
        : []),
    ])
}

/** How much of `last` came by the route over proven transfers alone, or over at least one that is not. */
function partOfRoute(
  given: AssetCase,
  direction: 'in' | 'out',
  last: Step,
  route: readonly string[],
  proven: boolean,
): bigint {
  const at = last.from
  const sender = route.at(-1)!
  const ordered = inOrder(given.transfers, at, direction)
  let balance = 0n
  let least = 0n
  for (const one of ordered) {
    balance += one.to === at ? one.amount : -one.amount
    if (balance < least) least = balance
  }
  balance = -least
  const held = new Map([
    [true, 0n],
    [false, 0n],
  ])
  for (const one of ordered) {
    if (one.to === at) {
      balance += one.amount
      if (one.from !== sender) continue
      for (const flag of [true, false]) {
        const arrived =
          route.length === 1
            ? one.proven === flag
              ? one.amount
              : 0n
            : partOfRoute(given, direction, one, route.slice(0, -1), flag)
        held.set(flag, held.get(flag)! + arrived)
      }
      continue
    }
    const parts = new Map<boolean, bigint>()
    for (const flag of [true, false]) {
      const has = held.get(flag)!
      const part = given.method === 'poison' ? (has > 0n ? one.amount : 0n) : (one.amount * has) / balance
      if (given.method === 'haircut') held.set(flag, has - part)
      parts.set(flag, part)
    }
    balance -= one.amount
    if (one.id !== last.id) continue
    if (one.proven) return parts.get(proven)!
    if (proven) return 0n
    const [a, b] = [parts.get(true)!, parts.get(false)!]
    return given.method === 'poison' ? (a > b ? a : b) : a + b
  }
  throw new Error('The transfer is none of its address')
}

/** Single base units, each with the routes it has taken. */
function fifoParts(given: AssetCase, direction: 'in' | 'out', last: Step, depth: number): Part[] {
  const parts = new Map<string, Part>()
  for (const unit of fifoUnits(given, direction, last, depth)) {
    for (const { route, proven } of unit) {
      const key = `${proven} ${route.join(' ')}`
      const part = parts.get(key) ?? {
        route: [...route, last.from],
        proven: proven && last.proven,
        amount: 0n,
      }
      part.amount += 1n
      parts.set(key, part)
    }
  }
  return [...parts.values()]
}

type Unit = readonly { readonly route: readonly string[]; readonly proven: boolean }[]

function fifoUnits(given: AssetCase, direction: 'in' | 'out', last: Step, depth: number): readonly Unit[] {
  const at = last.from
  const ordered = inOrder(given.transfers, at, direction)
  let balance = 0n
  let least = 0n
  for (const one of ordered) {
    balance += one.to === at ? one.amount : -one.amount
    if (balance < least) least = balance
  }
  const queue: Unit[] = Array.from({ length: Number(-least) }, () => [])
  for (const one of ordered) {
    if (one.to !== at) {
      const spent = queue.splice(0, Number(one.amount))
      if (one.id === last.id) return spent
      continue
    }
    const isKnown = one.from !== given.screened
    const isSource = isKnown && (given.sources[one.from] ?? []).length > 0
    const before =
      isKnown && depth > 1 && given.followed.includes(one.from)
        ? fifoUnits(given, direction, one, depth - 1)
        : Array.from({ length: Number(one.amount) }, (): Unit => [])
    for (const unit of before)
      queue.push([
        ...unit.map(({ route, proven }) => ({ route: [...route, one.from], proven: proven && one.proven })),
        ...(isSource ? [{ route: [one.from], proven: one.proven }] : []),
      ])
  }
  throw new Error('The transfer is none of its address')
}
