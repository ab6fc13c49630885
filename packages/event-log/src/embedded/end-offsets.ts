/** End offsets on request: a call gets an answer that was looked up after it came, and calls share look-ups. */
import type { Queryable } from '@cupel/postgres'

const ENDS = {
  name: 'log.ends',
  text: `SELECT p.id, log.end_offset(p.id) AS end_offset, i.log_id
    FROM log.identity i LEFT JOIN log.topic_partition p ON p.id = ANY ($1)`,
}

export interface Ends {
  /** The database's part of the identity of the log. */
  readonly logId: string
  /** End offset by partition id. */
  readonly ends: ReadonlyMap<number, number>
}

export async function readEnds(database: Queryable, partitionIds: readonly number[]): Promise<Ends> {
  const rows = await database.query<{ id: number; end_offset: number; log_id: string }>(ENDS, [partitionIds])
  return { logId: rows[0]!.log_id, ends: new Map(rows.map((row) => [row.id, row.end_offset])) }
}

interface Asked {
  readonly partitionId: number
  readonly resolve: (end: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * One look-up is in flight at a time. Who asks meanwhile waits for the next one: the answer under way may be older than
 * the question, and then a caller would not read its own writes.
 */
export function createEndLookup(database: Queryable): (partitionId: number) => Promise<number> {
  const asked: Asked[] = []
  let busy = false

  async function lookUp(): Promise<void> {
    while (asked.length > 0) {
      const answering = asked.splice(0)
      try {
        const { ends } = await readEnds(database, [...new Set(answering.map((each) => each.partitionId))])
        for (const { partitionId, resolve, reject } of answering) {
          const end = ends.get(partitionId)
          if (end === undefined)
            reject(new Error(`Partition ${partitionId} is not in this database any more`))
          else resolve(end)
        }
      } catch (error) {
        for (const { reject } of answering) reject(error)
      }
    }
    busy = false
  }

  return (partitionId) =>
    new Promise((resolve, reject) => {
      asked.push({ partitionId, resolve, reject })
      if (busy) return
      busy = true
      setImmediate(() => void lookUp())
    })
}
