/** The keys of references that a process uses. They are remembered for a short time. Concurrent calls read or make them together. */
import { createMemory } from './memory.js'
import type { ReferenceStore } from './reference-store.js'
import type { StoredKey } from './stored-key.js'

export interface ReferenceKeys {
  /** The key of each reference, in order; all null if the account was erased. Rejects if they cannot be read. */
  of(accountId: string, references: readonly string[]): Promise<readonly (StoredKey | null)[]>
}

/** References that wait for the next read while another read is running. */
interface Turn {
  readonly references: Set<string>
  readonly found: Promise<ReadonlyMap<string, StoredKey> | null>
}

/** `remember` is called with every key that was read. */
export function createReferenceKeys(
  store: Pick<ReferenceStore, 'ensure'>,
  nowMs: () => number,
  remember: (key: StoredKey) => void,
): ReferenceKeys {
  const known = createMemory<StoredKey>(nowMs)
  const waiting = new Map<string, Turn>()
  const running = new Map<string, Promise<unknown>>()

  /** An account has one read at a time. Calls that arrive meanwhile share the next one. */
  function turnOf(accountId: string): Turn {
    const next = waiting.get(accountId)
    if (next !== undefined) return next
    const references = new Set<string>()
    const before = running.get(accountId) ?? Promise.resolve()
    const found = before
      .catch(() => undefined)
      .then(() => {
        waiting.delete(accountId)
        return store.ensure(accountId, [...references])
      })
    const turn = { references, found }
    const ended = found
      .catch(() => undefined)
      .finally(() => {
        if (running.get(accountId) === ended) running.delete(accountId)
      })
    running.set(accountId, ended)
    waiting.set(accountId, turn)
    return turn
  }

  return {
    async of(accountId, references) {
      const nameOf = (reference: string): string => `${accountId} ${reference}`
      const fresh = new Map<string, StoredKey>()
      for (const reference of references) {
        const key = known.fresh(nameOf(reference))
        if (key !== undefined) fresh.set(reference, key)
      }
      const old = references.filter((reference) => !fresh.has(reference))
      if (old.length === 0) return references.map((reference) => fresh.get(reference)!)
      const turn = turnOf(accountId)
      for (const reference of old) turn.references.add(reference)
      try {
        const found = await turn.found
        if (found === null) return references.map(() => null)
        for (const reference of old) {
          const key = known.remember(nameOf(reference), found.get(reference)!)
          fresh.set(reference, key)
          remember(key)
        }
      } catch (error) {
        for (const reference of old) fresh.set(reference, known.staleOr(nameOf(reference), error))
      }
      return references.map((reference) => fresh.get(reference)!)
    },
  }
}
