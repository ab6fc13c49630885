/** The written forms that the owner of an address has on a chain, as far as they follow from the address. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { bech32 } from '@scure/base'
import { readAddressForms } from './address-forms.js'
import type { AddressForm } from './address-form.js'
import { base58CheckKinds, encodeBase58Check } from './base58-addresses.js'
import { encodeSegwit } from './bech32-addresses.js'
import { findChain, type AddressFormat } from './chain-formats.js'
import { evmHashOf, scriptHashOf } from './look-up-keys.js'
import { parseAddress } from './parse-address.js'
import { encodeRippleClassic } from './ripple-address.js'

/**
 * Canonical forms on the chain `on` of what controls an address of the chain `of`. A script's hash does not lead back to the key inside it, so
 * a `3…` address has no `1…` form here. An address that is refused stays as it is.
 */
export function writtenForms(address: string, of: string, on: string): readonly string[] {
  const formats = findChain(of)?.formats ?? []
  const form = readAddressForms(address).forms.find(({ format }) => formats.includes(format))
  if (form === undefined) return [address]
  const texts = (findChain(on)?.formats ?? []).map((format) => encodeAs(format, form))
  const canonical = [address, ...texts].flatMap((text) => {
    const parsed = text === undefined ? undefined : parseAddress(text, on)
    return parsed?.ok === true && parsed.lookupKey === form.lookupKey ? [parsed.canonical] : []
  })
  return [...new Set(canonical)]
}

/** Undefined where the format has no form for this owner, or where another format has the same one. */
function encodeAs(format: AddressFormat, { owner, lookupKey }: AddressForm): string | undefined {
  const [family = '', parameter = ''] = format.split(':')
  const key = owner?.kind === 'key' ? owner.hash : undefined
  const evm = evmHashOf(lookupKey)
  switch (family) {
    case 'evm':
      return evm === undefined ? undefined : `0x${evm}`
    case 'base58check': {
      const script = owner === undefined ? undefined : scriptHashOf(owner)
      const tron = evm === undefined ? undefined : hexToBytes(evm)
      const hash = { key, script, tron }[base58CheckKinds[parameter] ?? 'key']
      return hash?.length === 20
        ? encodeBase58Check(Uint8Array.from([...hexToBytes(parameter), ...hash]))
        : undefined
    }
    case 'segwit':
      return key === undefined ? undefined : encodeSegwit(parameter, 0, key)
    case 'bech32':
      return key === undefined ? undefined : bech32.encode(parameter, bech32.toWords(key))
    case 'ripple-classic':
      return key === undefined ? undefined : encodeRippleClassic(key)
    default:
      return undefined
  }
}
