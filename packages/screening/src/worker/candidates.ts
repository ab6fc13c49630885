/** An address on every chain that is judged: the detected one, and the other ones that it is possible on. */
import { addressOnChains } from '@cupel/domain'
import type { Request } from './lane.js'

/** The request for one chain. */
export type ChainRequest = Request & {
  /** The chain is not the detected one: it is judged only if something knows the address there. */
  readonly isCandidate?: true
  /** The look-up key of a candidate. */
  readonly lookupKey?: string
}

/** The request itself first. A caller that names a chain has no candidates, and neither has the sandbox. */
export function onEveryChain<R extends Request>(request: R): readonly [R, ...ChainRequest[]] {
  const { livemode, chain: detected, candidateChains, address } = request.data
  const others = livemode ? candidateChains.filter((chain) => chain !== detected) : []
  if (others.length === 0) return [request]
  const known = addressOnChains(address, others)
  return [request, ...others.map((chain) => onChain(request, chain, known.get(chain)))]
}

/** An address that does not fit the chain stays as it is, and is refused where its look-up key is derived. */
function onChain(
  { type, data, envelope }: Request,
  chain: string,
  found: ReturnType<ReturnType<typeof addressOnChains>['get']>,
): ChainRequest {
  const { canonical: canonicalAddress = data.address, ...key } = found ?? {}
  return { type, envelope, data: { ...data, chain, canonicalAddress }, isCandidate: true, ...key }
}
