/**
 * Labels of one side of a comparison, divided by identity into buckets that are compared one after another. Small sets
 * stay in memory; what grows beyond a limit goes to a temporary table, so memory stays bounded whatever a file's size.
 */
import type { Queryable } from '@cupel/postgres'

export const SPOOL_BUCKETS = 64
/** About 60 MB of labels; more are kept in Postgres. */
const MEMORY_LABELS = 100_000
/** Labels written to the temporary table at a time. */
const SPILL_LABELS = 5_000

export interface LabelSpool<T> {
  readonly size: () => number
  readonly isInMemory: () => boolean
  add(identity: string, label: T): void
  /** Moves labels out of memory where there are too many; to be awaited after every few thousand additions. */
  settle(): Promise<void>
  /** Labels of a bucket in the order they were added. */
  bucket(index: number): Promise<readonly T[]>
}

export interface SpoolFactory {
  create<T>(): LabelSpool<T>
  /** Drops the temporary table, where there is one. */
  close(): Promise<void>
}

/** Spools of one import. The connection must be the import's own for as long as they are used. */
export function createSpools(connection: Queryable, memoryLabels: number = MEMORY_LABELS): SpoolFactory {
  let spools = 0
  let tableExists = false

  async function requireTable(): Promise<void> {
    if (tableExists) return
    await connection.execute(
      `CREATE TEMPORARY TABLE label_spool
         (spool int4 NOT NULL, bucket int4 NOT NULL, ord int8 NOT NULL, label text NOT NULL)`,
    )
    await connection.execute('CREATE INDEX label_spool_bucket ON label_spool (spool, bucket, ord)')
    tableExists = true
  }

  return {
    create<T>(): LabelSpool<T> {
      const spool = (spools += 1)
      let held: { bucket: number; label: T }[] = []
      let spilled = 0
      let byBucket: T[][] | null = null

      async function spill(): Promise<void> {
        await requireTable()
        for (let from = 0; from < held.length; from += SPILL_LABELS) {
          const part = held.slice(from, from + SPILL_LABELS)
          await connection.execute(
            `INSERT INTO label_spool (spool, bucket, ord, label)
             SELECT $1, r.bucket, $2 + r.ord, r.label
             FROM unnest($3::int4[], $4::text[]) WITH ORDINALITY AS r (bucket, label, ord)`,
            [
              spool,
              spilled + from,
              part.map(({ bucket }) => bucket),
              part.map(({ label }) => JSON.stringify(label)),
            ],
          )
        }
        spilled += held.length
        held = []
      }

      function inMemory(): T[][] {
        if (byBucket !== null) return byBucket
        byBucket = Array.from({ length: SPOOL_BUCKETS }, () => [])
        for (const { bucket, label } of held) byBucket[bucket]!.push(label)
        return byBucket
      }

      return {
        size: () => spilled + held.length,
        isInMemory: () => spilled === 0,
        add(identity, label) {
          byBucket = null
          held.push({ bucket: bucketOf(identity), label })
        },
        async settle() {
          const limit = spilled > 0 ? SPILL_LABELS : memoryLabels
          if (held.length > limit) await spill()
        },
        async bucket(index) {
          if (spilled === 0) return inMemory()[index]!
          if (held.length > 0) await spill()
          const rows = await connection.query<{ label: string }>(
            'SELECT label FROM label_spool WHERE spool = $1 AND bucket = $2 ORDER BY ord',
            [spool, index],
          )
          return rows.map((row) => JSON.parse(row.label) as T)
        },
      }
    },
    async close() {
      if (tableExists) await connection.execute('DROP TABLE label_spool')
      tableExists = false
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
