/** TON: one account in a raw form and in user-friendly forms that differ in flags and alphabet. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64nopad, base64urlnopad } from '@scure/base'
import { attempt, type Reader } from './address-form.js'
import { crc16 } from './crc.js'

/** TON's raw form: workchain, colon, 64 hex digits of the account. */
export const readTonRaw: Reader = (text) => {
  const matched = /^(0|-1):([0-9a-fA-F]{64})$/.exec(text)
  if (matched === null) return 'bad_format'
  const canonical = `${matched[1]}:${matched[2]!.toLowerCase()}`
  return { format: 'ton-raw', canonical, lookupKey: `ton:${canonical}` }
}

/** User-friendly flags: bounceable or not; 0x80 marks the test network. */
const TON_BOUNCEABLE = 0x11
const TON_NON_BOUNCEABLE = 0x51

/** TON's user-friendly form: flag, workchain, account, CRC-16, in either alphabet of Base64. */
export const readTonFriendly: Reader = (text) => {
  const codec = text.includes('+') || text.includes('/') ? base64nopad : base64urlnopad
  const bytes = attempt(() => codec.decode(text))
  if (bytes === undefined || bytes.length !== 36) return 'bad_format'
  if (((bytes[34]! << 8) | bytes[35]!) !== crc16(bytes.subarray(0, 34))) return 'bad_checksum'
  if (bytes[0] !== TON_BOUNCEABLE && bytes[0] !== TON_NON_BOUNCEABLE) return 'bad_format'
  const workchain = bytes[1] === 0 ? '0' : bytes[1] === 255 ? '-1' : undefined
  if (workchain === undefined) return 'bad_format'
  const canonical = `${workchain}:${bytesToHex(bytes.subarray(2, 34))}`
  return { format: 'ton-friendly', canonical, lookupKey: `ton:${canonical}` }
}
