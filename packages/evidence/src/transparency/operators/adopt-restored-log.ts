/** Adopts a log that was made from an archive, for a database that followed no log before (docs/adr/0367). */
import type { LogIdentity } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { listCheckpoints } from '@cupel/projections'
import { recordAdoption } from './adopt-log.js'

export interface AdoptRestoredLogOptions {
  readonly database: Database
  readonly log: LogIdentity
  /** The log that was archived, and the number of the last manifest. */
  readonly replaces: LogIdentity
  readonly manifest: number
  readonly partitions: number
  readonly by: string
  readonly reason: string
}

/**
 * Records that the new log took the place of the archived one. Resolves to the log that readers of the database follow: if that is another
 * one, nothing is changed, and `adoptLog` compares both.
 */
export async function adoptRestoredLog(options: AdoptRestoredLogOptions): Promise<LogIdentity | null> {
  const { database, log, replaces, manifest, partitions, by: adoptedBy, reason } = options
  return await database.transaction({ at: 'transparency.adopt' }, async (transaction) => {
    const followed = (await listCheckpoints(transaction)).find((checkpoint) => checkpoint.log !== log)
    if (followed !== undefined) return followed.log
    await recordAdoption(transaction, {
      ...{ log, replaces, leaves: 0, partitions, manifest, adoptedBy, reason },
    })
    return null
  })
}
