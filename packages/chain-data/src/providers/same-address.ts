/** Addresses as providers write them: in any of the forms a chain knows. */
import { parseAddress } from '@cupel/domain'
import { ProviderError } from '../provider-error.js'

/** Throws wrong_address where `answered` is not another writing of the canonical `asked`. */
export function refuseOtherAddress(chain: string, asked: string, answered: string): void {
  if (answered === asked) return
  const parsed = parseAddress(answered, chain)
  if (!parsed.ok || parsed.canonical !== asked)
    throw new ProviderError('wrong_address', 'the answer is about another address')
}

/** The canonical writing; empty for what is no address of the chain, such as a script without one. */
export function canonicalOwner(chain: string, written: string | undefined): string {
  if (written === undefined) return ''
  const parsed = parseAddress(written, chain)
  return parsed.ok ? parsed.canonical : ''
}
