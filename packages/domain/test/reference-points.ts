/** Points of an exposure as fractions of whole numbers. The size uses a platform's logarithm, which the product does not use. */

const caps: Readonly<Record<string, readonly [number, number, number, number]>> = {
  sanctions: [90, 95, 60, 60],
  darknet: [80, 80, 45, 45],
  stolen: [85, 20, 50, 10],
  mixer: [75, 60, 35, 25],
  scam: [75, 15, 40, 5],
}
const UNPROVEN_MOST = 6_999
const COINJOIN_MOST = 2_499

interface Asked {
  /** In the form `category/subcategory relation direction weak`. */
  readonly row: string
  readonly pre: boolean
  readonly cluster: boolean
  readonly historical: boolean
  readonly total: bigint
  readonly isComplete: boolean
  readonly wholeAmount: bigint
  readonly dust: bigint
  /** What came in over all assets is dust or more, each asset in parts of its own dust. */
  readonly isEnough: boolean
  readonly weights: Readonly<Record<string, number>>
}

interface Amount {
  readonly amount: bigint
  readonly ppm: number
}

export interface Points {
  readonly hundredths: number
  /** In points. */
  readonly base: number | null
  readonly cappedBy: string | null
}
/** Of what does not count. */
export const NOTHING: Points = { hundredths: 0, base: null, cappedBy: null }
/** Points that rest on unproven transfers are limited, by their execution or their order. */
export const UNPROVEN = 'unproven'

/** Points of the whole measure, and the lowest limit that lowers them. */
export function pointsOf(asked: Asked, all: Amount, proven: Amount): Points {
  const [kind, , direction, weak] = asked.row.split(' ') as [string, string, string, string]
  const [category, subcategory] = kind.split('/') as [string, string]
  if (weak === 'true' || caps[category] === undefined) return NOTHING
  if (direction === 'in' && asked.wholeAmount < asked.dust && !asked.isEnough) return NOTHING
  const weight = asked.weights[category]!
  // The whole against which the proven part is judged does not include the unproven part.
  const of = (value: Amount): number =>
    unlimited(
      {
        ...asked,
        wholeAmount: asked.wholeAmount - all.amount + value.amount,
        // The proven part must be dust or more by itself.
        isEnough: asked.isEnough && value === all,
      },
      value,
    )
  const isMixed = subcategory === 'coinjoin'
  const isUnproven = all.amount !== proven.amount && !isMixed
  const sure = isUnproven ? of(proven) : 0
  const limits: readonly (readonly [string, number])[] = [
    ...(isMixed ? [['coinjoin', limitOf(weight, COINJOIN_MOST)] as const] : []),
    ...(asked.historical ? [['historical', limitOf(weight, UNPROVEN_MOST)] as const] : []),
    ...(asked.cluster ? [['cluster', limitOf(weight, UNPROVEN_MOST)] as const] : []),
    ...(isUnproven ? [[UNPROVEN, Math.max(sure, limitOf(weight, UNPROVEN_MOST))] as const] : []),
  ]
  const reckoned = Math.max(sure, of(all))
  const least = Math.min(...limits.map(([, limit]) => limit))
  const own = capOf({ ...asked, pre: false })
  const base = capOf(asked)
  const lowered = asked.pre && base < own ? 'pre_designation' : null
  return least < reckoned
    ? { hundredths: least, base, cappedBy: limits.find(([, limit]) => limit === least)![0] }
    : { hundredths: reckoned, base, cappedBy: lowered }
}

function capOf({ row, pre }: Pick<Asked, 'row' | 'pre'>): number {
  const [kind, relation, direction] = row.split(' ') as [string, string, string]
  const [category, subcategory] = kind.split('/') as [string, string]
  const own = caps[category]![(relation === 'direct' ? 0 : 2) + (direction === 'in' ? 0 : 1)]!
  if (pre) return Math.min(40, own)
  return isSevere(subcategory, relation, direction) ? Math.max(60, own) : own
}

const isSevere = (subcategory: string, relation: string, direction: string): boolean =>
  ['ransomware', 'terrorist_financing', 'csam'].includes(subcategory) &&
  relation === 'direct' &&
  direction === 'out'

function unlimited(asked: Asked, value: Amount): number {
  const { row, pre, total, isComplete, wholeAmount, dust, isEnough } = asked
  const [kind, relation, direction] = row.split(' ') as [string, string, string]
  const [category, subcategory] = kind.split('/') as [string, string]
  const isAbove = wholeAmount >= dust || (direction === 'in' && isEnough)
  if (value.amount === 0n || (direction === 'in' && !isAbove)) return 0
  const decades = Math.log10(Number(value.amount) / Number(dust)) / 3
  const size = BigInt(Math.round(Math.min(1, Math.max(0, decades)) * 1e6))
  let factor = size * 1_000_000n
  if (isComplete) {
    const share = BigInt(halfUp(value.amount * 1_000_000n, total))
    const [from, width] = category === 'sanctions' ? [0n, 100_000n] : [10_000n, 240_000n]
    const within =
      share <= from
        ? 0n
        : share >= from + width
          ? 1_000_000n
          : BigInt(halfUp((share - from) * 1_000_000n, width))
    const bySize = size * (category === 'sanctions' ? 1_000_000n : 600_000n)
    const byShare = isAbove ? within * 1_000_000n : 0n
    factor = bySize > byShare ? bySize : byShare
  }
  const reckoned = halfUp(BigInt(capOf(asked)) * 100n * BigInt(value.ppm) * factor, 10n ** 18n)
  if (category === 'sanctions' && relation === 'direct' && !pre) return Math.max(2_500, reckoned)
  return isSevere(subcategory, relation, direction) && value.amount >= dust
    ? Math.max(leastOf(asked.weights[category]!, 2_500), reckoned)
    : reckoned
}

export const weightedOf = (hundredths: number, weight: number): number =>
  Math.floor((hundredths * weight * 1e6 + 5e5) / 1e6)

const limits = new Map<string, number>()

/** The most points whose weighted value is at most `most`, found by trying. */
function limitOf(weight: number, most: number): number {
  const key = `${weight} ${most}`
  let limit = limits.get(key) ?? 0
  if (limits.has(key)) return limit
  while (limit < 10_000 && weightedOf(limit + 1, weight) <= most) limit += 1
  limits.set(key, limit)
  return limit
}

/** The fewest points whose weighted value is at least `least`; all points if none reach it. */
const leastOf = (weight: number, least: number): number => Math.min(10_000, limitOf(weight, least - 1) + 1)

export const halfUp = (top: bigint, bottom: bigint): number => {
  const whole = top / bottom
  return Number((top - whole * bottom) * 2n >= bottom ? whole + 1n : whole)
}
