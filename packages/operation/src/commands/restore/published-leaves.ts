/** Whether the database has every leaf of the transparency log that was published. */
import { topicSpecs } from '@cupel/contracts'
import { placesOf, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { takeBackLeaves, TransparencyStoppedError, type EvidenceSettings } from '@cupel/evidence/transparency'
import type { Notes } from './notes.js'

interface PublishedParts {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
  /** Null if nothing is signed. */
  readonly evidence: EvidenceSettings | null
  readonly notes: Notes
}

const takenBack = (count: number): string =>
  `${count} leaves of the transparency log are taken back from its published files: it goes on behind them.`

/** Takes back what the database lacks; resolves to whether it lacked something. */
export async function takeBackPublished({ evidence, notes, ...parts }: PublishedParts): Promise<boolean> {
  if (evidence === null) return false
  try {
    const places = await placesOf(parts.log, topicSpecs)
    const { leaves } = await takeBackLeaves(parts.transaction, { ...parts, ...evidence, places })
    notes.changed(takenBack, leaves)
    return leaves > 0
  } catch (error) {
    if (!(error instanceof TransparencyStoppedError)) throw error
    notes.refused(error.message)
    return false
  }
}
