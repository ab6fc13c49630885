/** Under which name the calls to a provider count: a service limits a key for all its chains together. */
import type { ProviderConfig } from '../index.js'

/** Providers at one host with the same headers and query have one key, or none: their calls count under the name of the first. */
export function countedNames(providers: readonly ProviderConfig[]): (provider: string) => string {
  const firsts = new Map<string, string>()
  const counted = new Map<string, string>()
  for (const { name, url, headers, query } of providers) {
    const sent = [headers, query].map((fields) => Object.entries(fields).toSorted())
    const key = JSON.stringify([url.host, sent])
    const first = firsts.get(key) ?? name
    firsts.set(key, first)
    counted.set(name, first)
  }
  return (provider) => counted.get(provider) ?? provider
}
