/** Judges a text that was entered as an address: the chain it fits, or its fault and what helps. Pure. */
import { findChain, parseAddress, withoutApiKeys, type AddressRefusal } from '@cupel/domain'

export type AddressAdvice =
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'fits'
      readonly chain: string
      readonly chainName: string
      /** Codes of the other chains that the address fits. */
      readonly others: readonly string[]
      /** One sentence. */
      readonly text: string
    }
  | {
      readonly kind: 'fault'
      /** The fault, and what helps. */
      readonly text: string
      /** The text is secret and must not be shown again. */
      readonly isSecret: boolean
      /** The text is a name such as one of ENS: no mistake, but no address either. */
      readonly isName: boolean
    }

/** Chains that are named; more are counted. */
const MAX_NAMED_CHAINS = 6

/** `chain`: the chain that was chosen; empty for detection. */
export function adviseOn(entered: string, chain = ''): AddressAdvice {
  const text = entered.trim()
  if (text === '') return { kind: 'empty' }
  if (withoutApiKeys(text) !== text)
    return {
      kind: 'fault',
      ...{ isSecret: true, isName: false },
      text: 'This is an API key, not an address. It was not sent anywhere.',
    }
  const parsed = parseAddress(text, chain === '' ? null : chain)
  if (!parsed.ok) {
    const isName = parsed.reason === 'domain_name'
    return { kind: 'fault', isSecret: false, isName, text: faultText(text, chain, parsed) }
  }
  const others = parsed.candidateChains.filter((code) => code !== parsed.chain)
  const chainName = findChain(parsed.chain)?.name ?? parsed.chain
  return {
    kind: 'fits',
    chain: parsed.chain,
    chainName,
    others,
    text: fitText(chainName, parsed.chain, others),
  }
}

function fitText(name: string, code: string, others: readonly string[]): string {
  const fits = `An address of ${name} (${code}).`
  if (others.length === 0) return fits
  return `${fits} It also fits ${namesOf(others)}: labels of all of them count.`
}

function namesOf(codes: readonly string[]): string {
  const more = codes.length - MAX_NAMED_CHAINS
  return codes.slice(0, MAX_NAMED_CHAINS).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function faultText(text: string, chain: string, refusal: AddressRefusal): string {
  const { reason, fits, detail } = refusal
  if (reason === 'wrong_chain')
    return `The address is not of ${chain}; it fits ${namesOf(fits)}. Let the chain be detected, or choose one that it fits.`
  const advice = adviceFor(text, refusal)
  return advice === null ? detail : `${detail} ${advice}`
}

const HEX_DIGITS_OF_EVM = 40
const TRANSACTION = /^(?:0x)?[0-9a-f]{64}$/i
const BARE_EVM = /^[0-9a-f]{40}$/i
const EVM_LIKE = /^0x[0-9a-f]*$/i

function adviceFor(text: string, { reason }: AddressRefusal): string | null {
  if (reason === 'eip55_mismatch')
    return 'Copy the address again from where it came. Where only its letters were changed, write all of them in lower case.'
  if (reason === 'bad_checksum') return 'Copy the address again from where it came.'
  if (reason === 'white_space')
    return 'Remove the spaces and line breaks inside it; one address is screened at a time.'
  if (TRANSACTION.test(text))
    return 'It has the form of a transaction hash: open the transaction and screen its sender or its receiver.'
  if (BARE_EVM.test(text)) return 'Put 0x in front of it if it is an address of Ethereum or a similar chain.'
  if (EVM_LIKE.test(text))
    return `An address that begins with 0x has ${HEX_DIGITS_OF_EVM} hexadecimal digits after it; here are ${text.length - 2}.`
  if (text.includes('@')) return 'It looks like an e-mail address.'
  return null
}
