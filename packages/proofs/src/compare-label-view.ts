/** Checks that the label view has exactly the publications of the log: they say which lists are in force. */
import {
  type EventCodec,
  type EventLog,
  LogStoppedError,
  scan,
  UndecodableRecordError,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { loadCheckpoint } from '@cupel/projections'
import {
  isPublication,
  LABEL_PARTITION,
  LABEL_TOPIC,
  labelViewGroup,
  publicationContradiction,
  readPublicationRows,
  statedPublication,
} from '@cupel/read-models'
import type { Problem } from './problem.js'

const PLACE = { topic: LABEL_TOPIC, partition: LABEL_PARTITION }

/** Publications that the projection has not read yet do not count as missing. */
export async function compareLabelView(
  database: Database,
  from: { readonly log: EventLog; readonly codec: EventCodec },
): Promise<readonly Problem[]> {
  // Without its front, which is reported by itself, the log no longer states every row.
  if ((await from.log.startOffset(PLACE.topic, PLACE.partition)) > 0) return []
  // Read in this order, the log has everything that the view has, and the view everything before its checkpoint.
  const projected = (await loadCheckpoint(database, { group: labelViewGroup, ...PLACE }))?.next ?? 0
  const rows = await readPublicationRows(database)
  const stated = await readPublications(from)
  if (stated === null) return []
  const problem = (offset: number, detail: string): Problem => ({
    ...{ kind: 'read-model', ...PLACE, offset, detail },
  })
  const known = new Set(rows.map((row) => row.import_id))
  const numbers = new Map([...stated.keys()].map((importId, index) => [importId, index + 1]))
  return [
    ...rows.flatMap((row) => {
      const { import_id: importId, label_set_seq: seq, log_offset: offset } = row
      const detail =
        publicationContradiction(row, stated.get(importId)?.row ?? null) ??
        (numbers.get(importId) === seq
          ? null
          : `label-view has publication ${numbers.get(importId)} as ${seq}.`)
      return detail === null ? [] : [problem(offset, detail)]
    }),
    ...[...stated].flatMap(([importId, { offset }]) =>
      offset >= projected || known.has(importId)
        ? []
        : [problem(offset, `The publication ${importId} is missing in label-view.`)],
    ),
  ]
}

type Publications = ReadonlyMap<
  string,
  { readonly offset: number; readonly row: Readonly<Record<string, unknown>> }
>

/** By import, in the order of the log; null if the log is not whole, which its own reading has reported. */
async function readPublications({
  log,
  codec,
}: {
  readonly log: EventLog
  readonly codec: EventCodec
}): Promise<Publications | null> {
  const stated = new Map<string, { offset: number; row: Readonly<Record<string, unknown>> }>()
  try {
    for await (const record of scan(log, [LABEL_TOPIC])) {
      const row = isPublication(record) ? readable(() => statedPublication(codec, record)) : null
      if (row !== null && !stated.has(row.import_id))
        stated.set(row.import_id, { offset: record.offset, row })
    }
  } catch (error) {
    if (error instanceof LogStoppedError) return null
    throw error
  }
  return stated
}

/** The projector skips an undecodable record as well. */
function readable<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}
