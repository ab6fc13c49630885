/** Cyclic redundancy checks of address and key formats. They detect typing errors; they are no cryptography. */

const crc32Table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 as in ISO 3309 and zlib (Cardano's Byron addresses, API keys). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ crc32Table[(crc ^ byte) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}

/** CRC-16/XMODEM: polynomial 0x1021, initial value 0 (TON's user-friendly form, Stellar's StrKey). */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}
