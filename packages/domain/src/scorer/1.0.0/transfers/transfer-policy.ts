/** The part of a policy that recommends what to do with a transfer. A policy without it has the default one. */
import type { RiskLevel } from '../vocabulary.js'

/** From best to worst for the transfer. */
export const recommendations = ['allow', 'review', 'reject'] as const
export type Recommendation = (typeof recommendations)[number]

export interface TransferPolicyDocument {
  /** By the level of the counterparty. */
  readonly levels: Readonly<Record<RiskLevel, Recommendation>>
  /** Where the counterparty itself is designated by an authority. */
  readonly designated: Recommendation
  /** Share of funds like those of the transfer from which illicit ones ask for a review. */
  readonly illicit_share: number
  /** For a stated transaction that the ledger does not have, and so nobody read; absent: review. */
  readonly unread_hash?: Recommendation | undefined
}

export const defaultForUnreadHash: Recommendation = 'review'

export const defaultTransferPolicy: TransferPolicyDocument = {
  levels: { green: 'allow', grey: 'review', orange: 'review', red: 'reject' },
  designated: 'reject',
  illicit_share: 0.01,
}

/** Bounds of what a policy may recommend: of what is not known, and of what is known to be bad, nobody says `allow`. */
const mayAllow: Readonly<Record<RiskLevel, boolean>> = { green: true, grey: false, orange: true, red: false }
const levels = Object.keys(mayAllow) as readonly RiskLevel[]
const MILLIONTHS = 1_000_000

/** The worst of several recommendations. */
export const worstRecommendation = (all: readonly Recommendation[]): Recommendation =>
  recommendations[Math.max(0, ...all.map((one) => recommendations.indexOf(one)))]!

/** Whether a counterparty that is worse would get a better recommendation. */
const isBetter = (a: Recommendation, b: Recommendation): boolean =>
  recommendations.indexOf(a) < recommendations.indexOf(b)

/** The first setting out of bounds as `path: what is wrong`, or null for a valid part and for none. */
export function transferPolicyFault(part: TransferPolicyDocument | undefined): string | null {
  if (part === undefined) return null
  const { levels: byLevel, designated, illicit_share: share, unread_hash: unread } = part
  for (const level of levels) {
    const fault = recommendationFault(byLevel?.[level], mayAllow[level])
    if (fault !== null) return `transfers.levels.${level}: ${fault}`
  }
  const fault = recommendationFault(designated, false)
  if (fault !== null) return `transfers.designated: ${fault}`
  for (const [worse, better] of [
    ['grey', 'green'],
    ['orange', 'green'],
    ['red', 'orange'],
    ['red', 'grey'],
  ] as const)
    if (isBetter(byLevel[worse], byLevel[better]))
      return `transfers.levels.${worse}: better than that of ${better}`
  const unreadFault = recommendationFault(unread ?? defaultForUnreadHash, false)
  if (unreadFault !== null) return `transfers.unread_hash: ${unreadFault}`
  const isFraction = typeof share === 'number' && share >= 0 && share <= 1
  if (!isFraction || Math.abs(share * MILLIONTHS - Math.round(share * MILLIONTHS)) >= 1e-6)
    return 'transfers.illicit_share: not a fraction of at most 6 decimals'
  return null
}

function recommendationFault(value: unknown, allowed: boolean): string | null {
  const possible = recommendations.filter((one) => allowed || one !== 'allow')
  return (possible as readonly unknown[]).includes(value) ? null : `not ${possible.join(' or ')}`
}
