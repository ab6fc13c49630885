/** The changes of a restore, the losses of the backup, and the reasons why the installation may not be started. */
import type { ReplayNotes } from '@cupel/projections'

export interface Notes extends ReplayNotes {
  refused(sentence: string): void
  changes(): string[]
  refusals(): string[]
}

export function createNotes(): Notes {
  const changes = new Map<(count: number) => string, number>()
  const losses = new Set<string>()
  const refusals: string[] = []
  return {
    changed(sentence, count = 1) {
      if (count > 0) changes.set(sentence, (changes.get(sentence) ?? 0) + count)
    },
    lost: (sentence) => void losses.add(sentence),
    notLost: (sentence) => void losses.delete(sentence),
    refused: (sentence) => void refusals.push(sentence),
    changes: () => [...changes].map(([sentence, count]) => sentence(count)),
    losses: () => [...losses],
    refusals: () => [...refusals],
  }
}
