/**
 * A set of ids in a few bytes each: a million take 16 MB. Ids are kept as 64 bits of their text, so two of a hundred million
 * collide less than once in three thousand proofs.
 */

/** Twice as many slots as ids keep the chains of the open addressing short. */
const SLOTS_PER_ID = 2

export interface IdSet {
  /** Returns whether the id was new. Throws if more ids than `maxIds` are added. */
  add(id: string): boolean
  has(id: string): boolean
  readonly size: () => number
}

export function createIdSet(maxIds: number): IdSet {
  const slots = powerOfTwo(maxIds * SLOTS_PER_ID)
  const keys = new Uint32Array(slots * 2)
  let size = 0
  return {
    size: () => size,
    has(id) {
      const { high, low } = fingerprint(id)
      for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
        const [keptHigh, keptLow] = [keys[slot * 2], keys[slot * 2 + 1]]
        if (keptHigh === high && keptLow === low) return true
        if (keptHigh === 0 && keptLow === 0) return false
      }
    },
    add(id) {
      const { high, low } = fingerprint(id)
      for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
        const [keptHigh, keptLow] = [keys[slot * 2], keys[slot * 2 + 1]]
        if (keptHigh === high && keptLow === low) return false
        if (keptHigh !== 0 || keptLow !== 0) continue
        if (size >= maxIds) throw new RangeError(`More than ${maxIds} ids`)
        keys[slot * 2] = high
        keys[slot * 2 + 1] = low
        size += 1
        return true
      }
    },
  }
}

/** 64 bits of a text, never all zero. Two FNV-1a hashes (http://www.isthe.com/chongo/tech/comp/fnv/), mixed at the end. */
export function fingerprint(text: string): { readonly high: number; readonly low: number } {
  let low = 0x811c9dc5
  let high = 0x9dc5811c
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + index), 0x85ebca6b)
    high ^= high >>> 13
  }
  low = mixed(low)
  high = mixed(high ^ low)
  return { high: high >>> 0, low: (low | 1) >>> 0 }
}

/** The finaliser of MurmurHash3: every bit of the text reaches every bit of the result. */
function mixed(hash: number): number {
  let bits = hash
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, atLeast))))
}
