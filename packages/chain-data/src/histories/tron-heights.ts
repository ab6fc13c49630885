/**
 * The heights of TRON's blocks by their times. TronGrid states the block of a transaction and not that of a call or of a transfer of tokens.
 * There is a block every three seconds, but some are left out: between two known blocks as far apart as their times, every height is certain.
 * Elsewhere the transaction is asked for.
 */
import { z } from 'zod'
import { bareHash, count, readAnswer } from '../answer-fields.js'
import type { ProviderHttp } from '../provider-http.js'

const MS_PER_BLOCK = 3_000

export interface TronHeights {
  /** A block that is known. */
  add(height: number, atMs: number): void
  /** The height of the transaction's block; null if the node does not know the transaction at this time. */
  of(http: ProviderHttp, hash: string, atMs: number): Promise<number | null>
}

const info = z.object({ id: bareHash, blockNumber: count, blockTimeStamp: count })
/** A node that does not know the transaction answers with an empty object. */
const infoAnswer = z.union([info, z.strictObject({})])

export function tronHeights(): TronHeights {
  /** In the order of times. */
  const known: { readonly height: number; readonly atMs: number }[] = []
  const placeOf = (atMs: number): number => {
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (known[middle]!.atMs < atMs) low = middle + 1
      else high = middle
    }
    return low
  }
  const add = (height: number, atMs: number): void => {
    const place = placeOf(atMs)
    if (known[place]?.atMs !== atMs) known.splice(place, 0, { height, atMs })
  }
  return {
    add,
    async of(http, hash, atMs) {
      const place = placeOf(atMs)
      const [before, after] = [known[place - 1], known[place]]
      if (after?.atMs === atMs) return after.height
      if (before !== undefined && after !== undefined) {
        const isWhole = after.atMs - before.atMs === (after.height - before.height) * MS_PER_BLOCK
        const blocks = (atMs - before.atMs) / MS_PER_BLOCK
        if (isWhole && Number.isInteger(blocks)) return before.height + blocks
      }
      const answer = await http.postJson('/wallet/gettransactioninfobyid', { value: hash })
      const told = readAnswer(infoAnswer, answer, 'gettransactioninfobyid')
      if (!('id' in told) || told.id !== hash || told.blockTimeStamp !== atMs) return null
      add(told.blockNumber, atMs)
      return told.blockNumber
    },
  }
}
