/** The addresses that requests have examined, by account and chain: accounts take turns. */
import type { ChainRequest } from '../candidates.js'

export interface Screened {
  readonly accountId: string
  readonly chain: string
  readonly screened: ReadonlySet<string>
}

export function screenedByAccount(requests: readonly ChainRequest[]): readonly Screened[] {
  const groups = new Map<string, Screened & { readonly screened: Set<string> }>()
  for (const { data } of requests) {
    if (!data.livemode) continue
    const { accountId, chain, canonicalAddress } = data
    const name = `${accountId} ${chain}`
    const group = groups.get(name) ?? { accountId, chain, screened: new Set<string>() }
    groups.set(name, group)
    group.screened.add(canonicalAddress)
  }
  return [...groups.values()]
}
