/**
 * Labels by look-up key in the newest state of labels that was asked for. Most counterparties have none, and many screens meet the same ones.
 */
import type { LabelFacts } from '@cupel/domain'

export interface KnownLabels {
  /** The labels of the keys: known ones, and those that `read` finds of the others. A key without labels has no entry. */
  of(
    labelSetSeq: number,
    lookupKeys: readonly string[],
    read: (unknown: readonly string[]) => Promise<ReadonlyMap<string, readonly LabelFacts[]>>,
  ): Promise<ReadonlyMap<string, readonly LabelFacts[]>>
}

/** Some 30 MB. */
const MOST_KEYS = 200_000
const NONE: readonly LabelFacts[] = []

export function createKnownLabels(mostKeys = MOST_KEYS): KnownLabels {
  let state = 0
  /** The newest half is kept whole, then what was asked for of the half before it. */
  let recent = new Map<string, readonly LabelFacts[]>()
  let before = new Map<string, readonly LabelFacts[]>()

  function keep(key: string, labels: readonly LabelFacts[]): void {
    if (recent.size >= mostKeys / 2) {
      before = recent
      recent = new Map()
    }
    recent.set(key, labels)
  }

  function begin(labelSetSeq: number): void {
    if (labelSetSeq === state) return
    state = labelSetSeq
    recent = new Map()
    before = new Map()
  }

  return {
    async of(labelSetSeq, lookupKeys, read) {
      // A report of an earlier state is rare.
      if (labelSetSeq < state) return await read(lookupKeys)
      begin(labelSetSeq)
      const found = new Map<string, readonly LabelFacts[]>()
      const unknown: string[] = []
      for (const key of lookupKeys) {
        const known = recent.get(key) ?? before.get(key)
        if (known === undefined) unknown.push(key)
        else if (known.length > 0) found.set(key, known)
        if (known !== undefined && !recent.has(key)) keep(key, known)
      }
      if (unknown.length === 0) return found
      const labels = await read(unknown)
      for (const key of unknown) {
        const own = labels.get(key) ?? NONE
        if (own.length > 0) found.set(key, own)
        // A screen of a newer state may have begun meanwhile.
        if (labelSetSeq === state) keep(key, own)
      }
      return found
    },
  }
}
