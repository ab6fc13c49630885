/** Stores nothing: reading begins at the end of each partition, and a partition that is read again continues at its last offset. */
import { placeOf } from '@cupel/event-log'
import type { OpenCommitter } from './committer.js'

/** `see` receives the outcomes of each batch. */
export function inMemory<O>(see: (outcomes: readonly O[]) => void): OpenCommitter<O> {
  return ({ identity, endOffset }) => {
    const next = new Map<string, number>()
    return {
      async load(place) {
        const { topic, partition } = place
        return { next: next.get(placeOf(place)) ?? (await endOffset(topic, partition)), log: identity }
      },
      async commit(batch, deadLetters) {
        await deadLetters
        see(batch.outcomes)
        next.set(placeOf(batch), batch.nextOffset)
        return undefined
      },
    }
  }
}
