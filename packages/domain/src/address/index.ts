export { chainOf, chains, findChain, upperAscii } from './chain-formats.js'
export {
  addressOnChains,
  hasSharedKeys,
  MAX_ADDRESS_LENGTH,
  parseAddress,
  parseListedAddress,
  sharedKey,
  type AddressRefusal,
  type ParsedAddress,
} from './parse-address.js'
export { keyParts } from './look-up-keys.js'
export { furtherLabelKeys, ownerKeysOf, soughtOwnerKeys, tokenAccountsOf } from './label-keys.js'
export { screenedAddress, screenedAddressOf, type ScreenedAddress } from './screened-address.js'
export { encodeBase58Check } from './base58-addresses.js'
export { encodeSegwit } from './bech32-addresses.js'
export { createdContract } from './created-contract.js'
export { toEip55 } from './evm-address.js'
export { writtenForms } from './written-forms.js'
