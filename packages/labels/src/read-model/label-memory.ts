/**
 * Remembers the labels of addresses that are queried again. They are used only if the answer of the same moment comes from
 * the state in which they were read. Each read queries the database, and reads everything again if the state has changed.
 */
import type { Queryable } from '@cupel/postgres'
import type { Label } from './labels.js'
import { readLabelSnapshot, type LabelSnapshot, type SnapshotWanted } from './snapshot.js'

/** Maximum number of look-up keys; beyond it, the ones read longest ago are forgotten. Most have no label. */
export const MAX_REMEMBERED_KEYS = 10_000

interface Memory {
  /** The state of the view in which all labels were read. */
  readonly state: string
  readonly labels: Map<string, readonly Label[]>
}

/** Reads as `readLabelSnapshot` does, with the same result. */
export type ReadLabels = (wanted: SnapshotWanted) => Promise<LabelSnapshot>

export function rememberLabels(database: Queryable, maxKeys = MAX_REMEMBERED_KEYS): ReadLabels {
  let memory: Memory | null = null

  function remember(state: string, keys: readonly string[], labels: readonly Label[]): void {
    if (memory?.state !== state) memory = { state, labels: new Map() }
    const own = new Map<string, Label[]>(keys.map((key) => [key, []]))
    for (const label of labels) own.get(label.lookupKey)?.push(label)
    for (const [key, ofKey] of own) memory.labels.set(key, ofKey)
    for (const key of memory.labels.keys()) {
      if (memory.labels.size <= maxKeys) return
      memory.labels.delete(key)
    }
  }

  return async (wanted) => {
    const known = new Map<string, readonly Label[]>()
    const before = memory
    for (const key of wanted.lookupKeys) {
      const labels = before?.labels.get(key)
      if (labels !== undefined) known.set(key, labels)
    }
    const asked = wanted.lookupKeys.filter((key) => !known.has(key))
    const snapshot = await readLabelSnapshot(database, { ...wanted, lookupKeys: asked })
    const { state } = snapshot
    if (known.size > 0 && state !== before?.state) {
      // The publication, the log or the tables changed: one statement reads everything, in one state.
      const whole = await readLabelSnapshot(database, wanted)
      if (whole.state !== null) remember(whole.state, wanted.lookupKeys, whole.labels)
      return whole
    }
    if (state !== null) remember(state, asked, snapshot.labels)
    return known.size === 0
      ? snapshot
      : { ...snapshot, labels: [...snapshot.labels, ...[...known.values()].flat()] }
  }
}
