/**
 * Whether rows of transfers are new. Until the first file of an empty ledger has brought millions of transfers, an import knows all ids itself,
 * and the index of ids is built once its rows are stored. It is built at once as soon as an id comes a second time, or too many have come.
 */
import { randomInt } from 'node:crypto'
import type { Database } from '@cupel/postgres'

/** 128 MB. */
const MOST_SLOTS = 2 ** 24
const FIRST_SLOTS = 2 ** 16
/** Of the slots. */
const MOST_FILLED = 0.7
/** Nobody knows which texts share a slot. Odd, so that no text loses what its earlier characters said. */
const [HIGH_FACTOR, LOW_FACTOR] = [randomInt(2 ** 32) | 1, randomInt(2 ** 32) | 1]

export interface KnownIds {
  /**
   * Whether no row has any of these ids. If that is not sure, or a batch finds rows by their ids (`findsRows`), the index of ids is there, and tells
   * which ones have a row.
   */
  areNew(ids: Iterable<string>, findsRows: boolean): Promise<boolean>
}

/** `isEmpty`: the ledger has no rows, and no index of ids. */
export function createKnownIds(database: Database, isEmpty: boolean): KnownIds {
  let ids = isEmpty ? createIdSet() : null
  return {
    async areNew(more, findsRows) {
      if (ids !== null && !findsRows && [...more].every(ids.add)) return true
      if (ids !== null) await database.execute('SELECT ledger.index_ids()')
      ids = null
      return false
    },
  }
}

/** The first 64 bits identify an id: one that is another one's double counts as known. */
export function createIdSet(mostSlots = MOST_SLOTS) {
  let slots = new Int32Array(2 * FIRST_SLOTS)
  let size = 0
  const put = (high: number, low: number): boolean => {
    const mask = slots.length / 2 - 1
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const [known, rest] = [slots[2 * at]!, slots[2 * at + 1]!]
      if (known === 0 && rest === 0) {
        slots[2 * at] = high
        slots[2 * at + 1] = low
        return true
      }
      if (known === high && rest === low) return false
    }
  }
  const grow = (): void => {
    const before = slots
    slots = new Int32Array(2 * before.length)
    for (let at = 0; at < before.length; at += 2)
      if (before[at] !== 0 || before[at + 1] !== 0) put(before[at]!, before[at + 1]!)
  }
  const add = (high: number, low: number): boolean => {
    if (size > MOST_FILLED * (slots.length / 2)) {
      if (slots.length >= 2 * mostSlots) return false
      grow()
    }
    size += 1
    // An empty slot is two zeros.
    return put(high, low || 1)
  }
  return {
    /** Adds an id of 32 hex digits; false if it may be there already, or the set is full. */
    add: (id: string): boolean => add(parseInt(id.slice(0, 8), 16) | 0, parseInt(id.slice(8, 16), 16) | 0),
    /** The same for any text. */
    addText(text: string): boolean {
      let [high, low] = [0, 0]
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at)
        high = Math.imul(high ^ code, HIGH_FACTOR)
        low = Math.imul(low ^ code, LOW_FACTOR)
      }
      // The slot follows from the low digits.
      return add(high, low ^ (low >>> 15))
    },
  }
}
