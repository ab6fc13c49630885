/** Compares addresses in the forms that providers use. */
import { parseAddress } from '@cupel/domain'
import { ProviderError } from '../provider-error.js'

/** Throws wrong_address if `answered` is not a form of the canonical address `asked`. */
export function refuseOtherAddress(chain: string, asked: string, answered: string): void {
  if (answered === asked) return
  const parsed = parseAddress(answered, chain)
  if (!parsed.ok || parsed.canonical !== asked)
    throw new ProviderError('wrong_address', 'the answer is about another address')
}

/** The canonical address; empty for a value that is not an address of the chain, such as a script without one. */
export function canonicalOwner(chain: string, written: string | undefined): string {
  if (written === undefined) return ''
  const parsed = parseAddress(written, chain)
  return parsed.ok ? parsed.canonical : ''
}
