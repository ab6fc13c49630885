/**
 * Resolves names to addresses of both families by querying name servers directly. It ignores the hosts file and search
 * domains, which name machines of the operator. A slow server does not block one of Node's four look-up threads.
 */
import { Resolver } from 'node:dns/promises'

/** Every address of a name, IPv4 first. Rejects with NameNotFound if it has none, with an Error if no server answered. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>

export class NameNotFound extends Error {
  override readonly name = 'NameNotFound'
}

const TIMEOUT_MS = 2_000
const TRIES = 2
const NO_SUCH_RECORD = new Set(['ENODATA', 'ENOTFOUND'])

/** `servers`: addresses of name servers; by default those of the system. */
export function createResolver(options: { readonly servers?: readonly string[] } = {}): ResolveName {
  return async (hostname) => {
    // RFC 6761, section 6.3: these names mean this machine, whatever a server answers.
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1']
    // A new resolver each time reads the system's present name servers.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (options.servers !== undefined) resolver.setServers(options.servers)
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length > 0) return addresses
    const fault = results
      .map((result) => (result.status === 'rejected' ? (result.reason as NodeJS.ErrnoException) : null))
      .find((reason) => reason !== null && !NO_SUCH_RECORD.has(reason.code ?? ''))
    if (fault) throw new Error(`The name could not be resolved: ${fault.code ?? fault.message}`)
    throw new NameNotFound('The name has no address')
  }
}
