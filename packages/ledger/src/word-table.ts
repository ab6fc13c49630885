/**
 * Words of 32 bits by keys of some words, in one array: a look-up reads one place of the memory, where a Map of texts reads three. Holds so many
 * keys at most: of more the newest half is kept whole, and the half before it.
 */
import { randomFillSync } from 'node:crypto'

export interface WordTable {
  /** The key and the value of the next call; a value begins with another word than 0. */
  readonly key: Int32Array
  readonly value: Int32Array
  /** Whether the key has a value, which it writes into `value`. */
  find(): boolean
  /** The key has no value yet. */
  add(): void
}

const FIRST_SLOTS = 2 ** 10
/** Of the slots. */
const MOST_FILLED = 0.6

export function createWordTable({
  keyWords,
  valueWords,
  most,
}: {
  readonly keyWords: number
  readonly valueWords: number
  readonly most: number
}): WordTable {
  const key = new Int32Array(keyWords)
  const value = new Int32Array(valueWords)
  // Nobody knows which keys share a slot.
  const factors = randomFillSync(new Int32Array(keyWords)).map((factor) => factor | 1)
  let recent = createSlots(key, value, factors)
  let before = recent
  return {
    key,
    value,
    find: () => recent.find() || (before !== recent && before.find()),
    add() {
      if (recent.size() >= most / 2) {
        before = recent
        recent = createSlots(key, value, factors)
      }
      recent.add()
    },
  }
}

/** Slots that become twice as many before they are full. A slot whose value begins with 0 is empty. */
function createSlots(
  key: Int32Array,
  value: Int32Array,
  factors: Int32Array,
): { find(): boolean; add(): void; size(): number } {
  const [keyWords, valueWords] = [key.length, value.length]
  const width = keyWords + valueWords
  let mask = FIRST_SLOTS - 1
  let words = new Int32Array(width * FIRST_SLOTS)
  let size = 0

  /** Where the slot of the key begins, or an empty one for it. */
  function startOf(): number {
    let slot = 0
    for (let word = 0; word < keyWords; word += 1) {
      slot = Math.imul(slot ^ key[word]!, factors[word]!)
      slot ^= slot >>> 15
    }
    for (slot &= mask; ; slot = (slot + 1) & mask) {
      const start = slot * width
      if (words[start + keyWords] === 0) return start
      let word = 0
      while (word < keyWords && words[start + word] === key[word]) word += 1
      if (word === keyWords) return start
    }
  }

  function put(): void {
    const start = startOf()
    words.set(key, start)
    words.set(value, start + keyWords)
  }

  function grow(): void {
    const [ownKey, ownValue, old] = [key.slice(), value.slice(), words]
    words = new Int32Array(2 * old.length)
    mask = 2 * mask + 1
    for (let start = 0; start < old.length; start += width) {
      if (old[start + keyWords] === 0) continue
      key.set(old.subarray(start, start + keyWords))
      value.set(old.subarray(start + keyWords, start + width))
      put()
    }
    key.set(ownKey)
    value.set(ownValue)
  }

  return {
    size: () => size,
    find() {
      const from = startOf() + keyWords
      if (words[from] === 0) return false
      for (let word = 0; word < valueWords; word += 1) value[word] = words[from + word]!
      return true
    },
    add() {
      if (size >= MOST_FILLED * (mask + 1)) grow()
      size += 1
      put()
    },
  }
}

const [ZERO, A] = [0x30, 0x61]

/** Writes hexadecimal digits in lower case into the words, 8 each; false for other characters. The text has as many. */
export function writeHex(text: string, from: number, words: Int32Array): boolean {
  let at = from
  for (let word = 0; word < words.length; word += 1) {
    let value = 0
    for (const end = at + 8; at < end; at += 1) {
      const code = text.charCodeAt(at)
      const digit = code >= A ? code - A + 10 : code - ZERO
      if (digit < 0 || digit > 15 || (digit > 9 && code < A)) return false
      value = (value << 4) | digit
    }
    words[word] = value
  }
  return true
}
