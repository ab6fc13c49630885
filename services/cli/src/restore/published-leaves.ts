/** Whether the database has every leaf of the transparency log that was published. */
import type { CheckpointSettings } from '@cupel/checkpoints'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { takeBackLeaves, TransparencyStoppedError } from '@cupel/transparency'
import type { Notes } from './notes.js'

interface PublishedParts {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
  /** Null if nothing is signed. */
  readonly checkpoints: CheckpointSettings | null
  readonly notes: Notes
}

const takenBack = (count: number): string =>
  `${count} leaves of the transparency log are taken back from its published files: it goes on behind them.`

/** Takes back what the database lacks; resolves to whether it lacked something. */
export async function takeBackPublished({ checkpoints, notes, ...parts }: PublishedParts): Promise<boolean> {
  if (checkpoints === null) return false
  try {
    const { leaves, reports } = await takeBackLeaves(parts.transaction, { ...parts, ...checkpoints })
    notes.changed(takenBack, leaves)
    if (reports > 0)
      notes.lost(
        `${reports} reports after the backup have no new proof of the transparency log: its salts were only in the database. Proofs that were given out stay good.`,
      )
    return leaves > 0
  } catch (error) {
    if (!(error instanceof TransparencyStoppedError)) throw error
    notes.refused(error.message)
    return false
  }
}
