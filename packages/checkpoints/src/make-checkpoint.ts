/** Signs the state of the log and stores the checkpoint: first in the database, as the only one with its number, then in the files. */
import { turnsOnly, type Pauses } from '@cupel/concurrency'
import { type EventLog, type Place, placeOf } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { appendLeaf, EMPTY_TREE, leafHash, type Signer } from '@cupel/signing'
import { writeLine } from './checkpoint-files.js'
import { extend, MAX_CHECKPOINT_RECORDS } from './extend.js'
import type { History } from './open-history.js'
import { advance, type Head, type PartitionState } from './state.js'
import {
  digestOfState,
  signedLine,
  statementBytes,
  type Acceptance,
  type Extension,
  type Statement,
} from './statement.js'

export interface MakeParts {
  readonly log: EventLog
  readonly database: Database
  readonly signer: Signer
  readonly places: readonly Place[]
  readonly maxRecords?: number
  /** Taken between the records; turns of the event loop by default. */
  readonly pauses?: Pauses
}

export interface Made {
  readonly history: History
  readonly records: number
  readonly hasMore: boolean
}

/** `nothing` if no record is new, `overtaken` if another writer made the next checkpoint. */
export async function makeCheckpoint(
  history: History,
  parts: MakeParts,
): Promise<Made | 'nothing' | 'overtaken'> {
  const { log, places, maxRecords = MAX_CHECKPOINT_RECORDS, pauses = turnsOnly() } = parts
  const { extensions, partitions, records, hasMore } = await extend(log, places, history.partitions, {
    ...{ maxRecords, pauses },
  })
  if (extensions.length === 0) return 'nothing'
  const next = await store(history, parts, {
    extensions,
    accepted: null,
    changed: partitions,
    partitions: merged(history.partitions, partitions),
  })
  return next === null ? 'overtaken' : { history: next, records, hasMore }
}

interface Step {
  readonly extensions: readonly Extension[]
  readonly accepted: Acceptance | null
  /** The state of every partition at this checkpoint. */
  readonly partitions: ReadonlyMap<string, PartitionState>
  /** The partitions to write. If absent, all are written and no others are kept. */
  readonly changed?: readonly PartitionState[]
  /** The checkpoint number in the database, if it is not the one of the history. */
  readonly after?: number | null
  readonly also?: (transaction: Queryable) => Promise<void>
}

/** The history with one more checkpoint; null if another writer made it. */
export async function store(
  history: History,
  { database, signer }: Pick<MakeParts, 'database' | 'signer'>,
  step: Step,
): Promise<History | null> {
  const { head: before, log, files } = history
  const { partitions, changed, also } = step
  const statement: Statement = {
    ...{ number: (before?.number ?? 0) + 1, time: new Date().toISOString(), log },
    ...{ partitions: step.extensions, state: digestOfState(partitions.values()), accepted: step.accepted },
  }
  const tree = appendLeaf(before?.tree ?? EMPTY_TREE, leafHash(statementBytes(statement)))
  const position = before === null ? 0 : before.position + Buffer.byteLength(before.line)
  const head: Head = { number: statement.number, position, line: signedLine(statement, tree, signer), tree }
  const isFirst = await advance(database, {
    ...{ log, head, after: step.after === undefined ? (before?.number ?? null) : step.after },
    ...{ partitions: changed ?? [...partitions.values()], isWhole: changed === undefined },
    ...(also === undefined ? {} : { also }),
  })
  if (!isFirst) return null
  await writeLine(files, position, head.line)
  return { log, files, head, partitions }
}

function merged(
  before: ReadonlyMap<string, PartitionState>,
  changed: readonly PartitionState[],
): ReadonlyMap<string, PartitionState> {
  return new Map([...before, ...changed.map((state) => [placeOf(state), state] as const)])
}
