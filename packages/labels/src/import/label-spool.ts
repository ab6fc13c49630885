/**
 * Holds the labels of one side of a comparison, divided by identity into buckets that are compared one after another. Small sets stay in
 * memory; above a limit labels move to a table, so memory is bounded for files of any size. The table is not temporary: services may make no such tables.
 */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'

export const SPOOL_BUCKETS = 64
/** About 60 MB of labels; above that Postgres holds them. */
const MEMORY_LABELS = 100_000
/** Labels of a bucket per INSERT into the table. */
const SPILL_LABELS = 5_000
/** Once labels are in the table, those collected before they are written to it. */
const GATHERED_LABELS = 20_000

export interface LabelSpool<T> {
  readonly size: () => number
  readonly isInMemory: () => boolean
  add(identity: string, label: T): void
  /** Moves labels to the table if memory holds too many. Await it after every few thousand additions. */
  settle(): Promise<void>
  /** Labels of a bucket, in the order of their addition. */
  bucket(index: number): Promise<readonly T[]>
}

export interface SpoolFactory {
  create<T>(): LabelSpool<T>
  /** Deletes what is in the table. */
  close(): Promise<void>
}

/** Spools of one import. No one else may use the connection while the spools are in use. */
export function createSpools(connection: Queryable, memoryLabels: number = MEMORY_LABELS): SpoolFactory {
  const importId = randomUUID()
  let spools = 0
  let isSpilled = false

  return {
    create<T>(): LabelSpool<T> {
      const spool = (spools += 1)
      const held: T[][] = Array.from({ length: SPOOL_BUCKETS }, () => [])
      let heldLabels = 0
      let spilledLabels = 0

      async function spill(): Promise<void> {
        isSpilled = true
        for (const [bucket, labels] of held.entries()) {
          for (let from = 0; from < labels.length; from += SPILL_LABELS) {
            const part = labels.slice(from, from + SPILL_LABELS)
            await connection.execute(
              `INSERT INTO labels.spool (import_id, spool, bucket, ord, label)
               SELECT $5, $1, $2, $3 + r.ord, r.label FROM unnest($4::text[]) WITH ORDINALITY AS r (label, ord)`,
              [spool, bucket, spilledLabels + from, part.map((label) => JSON.stringify(label)), importId],
            )
          }
          labels.length = 0
        }
        spilledLabels += heldLabels
        heldLabels = 0
      }

      return {
        size: () => spilledLabels + heldLabels,
        isInMemory: () => spilledLabels === 0,
        add(identity, label) {
          held[bucketOf(identity)]!.push(label)
          heldLabels += 1
        },
        async settle() {
          if (heldLabels > (spilledLabels > 0 ? GATHERED_LABELS : memoryLabels)) await spill()
        },
        async bucket(index) {
          if (spilledLabels === 0) return held[index]!
          if (heldLabels > 0) await spill()
          const rows = await connection.query<{ label: string }>(
            'SELECT label FROM labels.spool WHERE import_id = $3 AND spool = $1 AND bucket = $2 ORDER BY ord',
            [spool, index, importId],
          )
          return rows.map((row) => JSON.parse(row.label) as T)
        },
      }
    },
    async close() {
      if (!isSpilled) return
      // An import that was killed leaves its rows; none takes a day.
      await connection.execute(
        `DELETE FROM labels.spool WHERE import_id = $1 OR spooled_at < now() - interval '1 day'`,
        [importId],
      )
      isSpilled = false
    },
  }
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function bucketOf(identity: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < identity.length; index += 1) {
    hash = Math.imul(hash ^ identity.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % SPOOL_BUCKETS
}
