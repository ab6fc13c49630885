/** Whether a provider answers about the address it was asked for, in whatever writing. */
import { parseAddress } from '@cupel/domain'
import { ProviderError } from '../provider-error.js'

/** Throws wrong_address where `answered` is not another writing of the canonical `asked`. */
export function refuseOtherAddress(chain: string, asked: string, answered: string): void {
  if (answered === asked) return
  const parsed = parseAddress(answered, chain)
  if (!parsed.ok || parsed.canonical !== asked)
    throw new ProviderError('wrong_address', 'the answer is about another address')
}
