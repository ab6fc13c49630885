/**
 * Transfers of intermediaries that examinations have read. Many screens go through the same few large addresses, and what such an address
 * moved is fixed in one state of the ledger.
 */
import { hasSharedKeys, type Transfer } from '@cupel/domain'

export interface KnownTransfers {
  get(key: string): readonly Transfer[] | undefined
  /** Forgets what was not asked for longest, if there is too much. */
  keep(key: string, transfers: readonly Transfer[]): void
}

/** A smaller address is read as fast as it is found here, and few screens meet it again. */
const LEAST_TRANSFERS = 100
/** Some 50 MB. */
const MOST_TRANSFERS = 100_000

/** Whether an address has the same transfers whoever is screened. Else addresses of one owner are the node that the search came from. */
export const areShared = (chain: string): boolean => chain !== 'SOL' && !hasSharedKeys(chain)

export function createKnownTransfers(most = MOST_TRANSFERS): KnownTransfers {
  const known = new Map<string, readonly Transfer[]>()
  let kept = 0

  function forget(key: string): void {
    kept -= known.get(key)?.length ?? 0
    known.delete(key)
  }

  return {
    get(key) {
      const found = known.get(key)
      if (found === undefined) return undefined
      known.delete(key)
      known.set(key, found)
      return found
    },
    keep(key, transfers) {
      if (transfers.length < LEAST_TRANSFERS || transfers.length > most) return
      forget(key)
      known.set(key, transfers)
      kept += transfers.length
      for (const oldest of known.keys()) {
        if (kept <= most) return
        forget(oldest)
      }
    },
  }
}
