/** A made-up ledger with labels, and what examinations say of its addresses. */
import {
  attribute,
  compilePolicy,
  defaultPolicy,
  parseAddress,
  type CompiledPolicy,
  type LabelFacts,
} from '@cupel/domain'
import fc from 'fast-check'
import type { Queryable } from '@cupel/postgres'
import { examineAddress, readClusterFacts, type TouchRequest } from '../src/index.js'

export const GENERATED_AT = '2026-11-21T09:00:00.000Z'

/** Limits so small that a few transfers reach each of them. */
export function policyWith(hops: number): CompiledPolicy {
  const limits = {
    ...{ transfers: 6, intermediaries: 4, transfers_per_intermediary: 5 },
    ...{ transfers_of_intermediaries: 14, hub_counterparties: 3, paths: 3 },
  }
  const exposure = { ...defaultPolicy.exposure, hops, limits }
  return compilePolicy({ ...defaultPolicy, exposure, cluster: { ...defaultPolicy.cluster, addresses: 4 } })
}

export const label = (of: string, chain: string, category: string): LabelFacts => ({
  ...{
    labelId: `${of} ${category}`,
    subcategory: '',
    sanction: null,
    source: 'list',
    dataset: 'list',
    chain,
  },
  ...{ address: of, role: 'owner', category, entity: 'Somebody', origin: 'list', kind: 'forensic' },
  ...{ confidencePpm: 900_000, sourceUrl: '', observedAt: null, validFrom: null, validTo: null },
  ...{ knownFrom: GENERATED_AT, knownTo: null },
})

export interface World {
  readonly chain: string
  readonly policy: CompiledPolicy
  readonly labels: readonly LabelFacts[]
}

export const keyOf = (one: string, chain: string): string => {
  const parsed = parseAddress(one, chain)
  return parsed.ok ? parsed.lookupKey : one
}

function labelsOf(
  { chain, labels }: World,
  keys: readonly string[],
): ReadonlyMap<string, readonly LabelFacts[]> {
  const found = new Map<string, LabelFacts[]>()
  for (const one of labels) {
    const key = keyOf(one.address, chain)
    if (keys.includes(key)) found.set(key, [...(found.get(key) ?? []), one])
  }
  return found
}

/** What an examination says of the address in a state, but for the names of the state. */
export async function answerOf(
  database: Queryable,
  world: World,
  { one, ledgerSeq }: { readonly one: string; readonly ledgerSeq: number },
): Promise<string> {
  const { chain, policy } = world
  const asked = {
    ...{ chain, address: one, ledgerSeq, policy, labelSets: [], generatedAt: GENERATED_AT },
    labelsOf: (keys: readonly string[]) => Promise.resolve(labelsOf(world, keys)),
  }
  const maxAddresses = policy.document.cluster.addresses
  const exposure = { ...(await examineAddress(database, asked)), ledgerSeq: 0, ranges: [] }
  const cluster = await readClusterFacts(database, { ...asked, maxAddresses })
  return JSON.stringify([exposure, cluster === null ? null : { ...cluster, ledgerSeq: 0 }])
}

/** Says of addresses that have a label whether they are services. */
export function labelledIn(world: World): TouchRequest['labelled'] {
  const { chain, policy } = world
  return async (addresses) =>
    new Map(
      addresses.flatMap((one) => {
        const own = labelsOf(world, [keyOf(one, chain)]).get(keyOf(one, chain))
        if (own === undefined) return []
        const { service } = attribute(own, { chain, policy, labelSets: [], generatedAt: GENERATED_AT })
        return [[one, { isService: service !== null }] as const]
      }),
    )
}

export const MEMBERS = 16
export const pay = fc.record({
  from: fc.nat(MEMBERS - 1),
  to: fc.nat(MEMBERS - 1),
  raw: fc.constantFrom('1', '1000000000000000000', '7000000000000000000', '90000000000000000'),
  status: fc.constantFrom('1', '1', '1', '', '0'),
  kind: fc.constantFrom('native', 'native', 'native', 'internal'),
})
