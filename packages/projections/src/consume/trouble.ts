/** Tracks why the records of a consumer wait, for logs and health checks. An outage is one line in the log, not one per attempt. */
import { messageOf } from './unappliable-record.js'

export interface Trouble {
  /** Work failed at `place`. Returns whether this is new: no other place failed for the same reason since it last worked. */
  failed(place: string, error: unknown): boolean
  /** Work at `place` succeeded. */
  over(place: string): void
  /** Forgets all other places: another member works there now. */
  keepOnly(places: ReadonlySet<string>): void
  /** The oldest current reason; null if there is none. */
  reason(): string | null
}

export function createTrouble(): Trouble {
  const reasons = new Map<string, string>()
  return {
    failed(place, error) {
      const reason = messageOf(error)
      const isNews = ![...reasons.values()].some((known) => kindOf(known) === kindOf(reason))
      reasons.set(place, reason)
      return isNews
    },
    over(place) {
      if (reasons.size > 0) reasons.delete(place)
    },
    keepOnly(places) {
      for (const place of reasons.keys()) if (!places.has(place)) reasons.delete(place)
    },
    reason() {
      for (const reason of reasons.values()) return reason
      return null
    },
  }
}

/** Reasons that differ only in their numbers, such as durations and offsets, are one kind. */
function kindOf(reason: string): string {
  return reason.replace(/\d+/g, '#')
}
