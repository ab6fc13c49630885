/** The parties of one side of the flow, grouped by name, with exact sums over all assets. */
import type { Report } from '@cupel/contracts'
import { assetOf, summed } from './amounts.js'

type Part = Report['exposure'][number]['by_category'][number]
type Counterparty = Part['counterparties'][number]
type Evidence = Report['risk']['evidence'][number]
export type Side = 'in' | 'out'

/** One address with its values of every asset. */
export interface Party extends Pick<Counterparty, 'address' | 'entity' | 'transfers'> {
  readonly values: readonly string[]
  readonly usd: string | null
}

/** All parties with one name, one attribution and one relation. */
export interface Group {
  readonly category: string
  readonly relation: string | null
  readonly entity: string
  /** Of every asset, exact. */
  readonly values: readonly string[]
  /** Null without a price of each value. */
  readonly usd: string | null
  readonly parties: readonly Party[]
  readonly unnamed: number
  readonly evidence: readonly Evidence[]
}

export const directionOf = { in: 'incoming', out: 'outgoing' } as const

export function groupsOf(report: Report, side: Side): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { direction, by_category: parts } of report.exposure) {
    if (direction !== directionOf[side]) continue
    for (const part of parts) {
      const found = report.risk.evidence.filter((item) => isOfPart(item, part, side))
      for (const one of partsOf(part, found)) {
        const key = JSON.stringify([one.category, one.relation, one.entity || one.parties[0]?.address])
        const known = groups.get(key)
        groups.set(key, known === undefined ? one : joined(known, one))
      }
    }
  }
  return [...groups.values()]
}

/** A group for each counterparty, and one for a part that names none. */
function partsOf(part: Part, evidence: readonly Evidence[]): readonly Group[] {
  const { category, relation } = part
  if (part.counterparties.length === 0) {
    const whole = { values: [part.value], usd: part.value_usd, parties: [], entity: '' }
    return [{ category, relation, ...whole, unnamed: part.counterparties_omitted, evidence }]
  }
  return part.counterparties.map((one) => ({
    ...{ category, relation, entity: one.entity, values: [one.value], usd: one.value_usd },
    ...{
      parties: [{ ...one, values: [one.value], usd: one.value_usd }],
      unnamed: 0,
      evidence: evidence.filter((item) => isOfParty(item, one)),
    },
  }))
}

function isOfPart(item: Evidence, part: Part, side: Side): boolean {
  const isSame = item.category === part.category && item.relation === part.relation && item.direction === side
  return isSame && item.value !== null && assetOf(item.value) === assetOf(part.value)
}

const isOfParty = (item: Evidence, { address }: Counterparty): boolean =>
  item.address === address || item.counterparties.some((one) => one.address === address)

function joined(one: Group, other: Group): Group {
  return {
    ...one,
    ...together(one, other),
    parties: other.parties.reduce(withParty, one.parties),
    unnamed: one.unnamed + other.unnamed,
    evidence: [...new Set([...one.evidence, ...other.evidence])],
  }
}

const together = (one: Valued, other: Valued): Valued => ({
  values: summed([...one.values, ...other.values]),
  usd: one.usd === null || other.usd === null ? null : summed([one.usd, other.usd])[0]!,
})

type Valued = Pick<Party, 'values' | 'usd'>

/** An address that several parts name is one party. */
export function withParty(parties: readonly Party[], other: Party): readonly Party[] {
  const known = parties.find(({ address }) => address === other.address)
  if (known === undefined) return [...parties, other]
  const both = { ...known, ...together(known, other), transfers: known.transfers + other.transfers }
  return parties.map((one) => (one === known ? both : one))
}
