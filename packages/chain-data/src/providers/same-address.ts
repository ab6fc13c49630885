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
