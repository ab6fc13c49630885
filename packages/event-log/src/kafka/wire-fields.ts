/**
 * The fields of protocol messages. Newer versions of messages are "flexible": their lengths are varints that begin at 1, and every
 * structure ends in tagged fields. This client sends none of these and skips all. Source: Kafka protocol guide, "Protocol Primitive Types";
 * KIP-482.
 */

/** Reads a message from its beginning, field by field. */
export interface FieldReader {
  int8(): number
  int16(): number
  int32(): number
  /** Offsets; they are far below 2^53. */
  int64(): number
  /** 32 digits, without dashes. */
  uuid(): string
  text(): string
  /** Null if the sender gave none. */
  nullableText(): string | null
  bytes(): Buffer
  /** Number of elements of an array; an absent one has none. */
  count(): number
  tags(): void
}

const UUID_BYTES = 16

export function fieldReader(message: Buffer, isFlexible: boolean): FieldReader {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message.readUInt8(at++)
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const move = (bytes: number): number => {
    at += bytes
    return at - bytes
  }
  const length = (short: boolean): number => {
    if (isFlexible) return varint() - 1
    return short ? message.readInt16BE(move(2)) : message.readInt32BE(move(4))
  }
  const take = (bytes: number): Buffer => {
    const from = move(Math.max(0, bytes))
    return message.subarray(from, at)
  }
  const reader: FieldReader = {
    int8: () => message.readInt8(move(1)),
    int16: () => message.readInt16BE(move(2)),
    int32: () => message.readInt32BE(move(4)),
    int64: () => Number(message.readBigInt64BE(move(8))),
    uuid: () => take(UUID_BYTES).toString('hex'),
    text: () => take(length(true)).toString('utf8'),
    nullableText() {
      const bytes = length(true)
      return bytes < 0 ? null : take(bytes).toString('utf8')
    },
    bytes: () => take(length(false)),
    count: () => Math.max(0, length(false)),
    tags() {
      if (!isFlexible) return
      for (let left = varint(); left > 0; left -= 1) {
        varint()
        move(varint())
      }
    },
  }
  return reader
}

const LARGEST_VARINT = 5

/** Writes a message into a buffer of at most the given size, from `start` on. */
export class FieldWriter {
  private at: number
  private readonly into: Buffer
  private readonly isFlexible: boolean
  constructor(into: Buffer, start: number, isFlexible: boolean) {
    this.into = into
    this.at = start
    this.isFlexible = isFlexible
  }
  end(): number {
    return this.at
  }
  int8(value: number): void {
    this.at = this.into.writeInt8(value, this.at)
  }
  int32(value: number): void {
    this.at = this.into.writeInt32BE(value, this.at)
  }
  int64(value: number): void {
    this.at = this.into.writeBigInt64BE(BigInt(value), this.at)
  }
  uuid(hex: string): void {
    this.at += this.into.write(hex, this.at, 'hex')
  }
  text(text: string): void {
    const length = Buffer.byteLength(text)
    if (this.isFlexible) this.varint(length + 1)
    else this.at = this.into.writeInt16BE(length, this.at)
    this.at += this.into.write(text, this.at)
  }
  /** Null means an absent array. */
  count(elements: number | null): void {
    if (this.isFlexible) this.varint(elements === null ? 0 : elements + 1)
    else this.int32(elements ?? -1)
  }
  tags(): void {
    if (this.isFlexible) this.int8(0)
  }
  private varint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.into[this.at++] = (rest & 0x7f) | 0x80
    this.into[this.at++] = rest
  }
}

/** Maximum bytes of a text, with its length. */
export const textBytes = (text: string): number => LARGEST_VARINT + Buffer.byteLength(text)
