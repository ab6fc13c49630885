/** Builds each read model anew from the log and compares every row: what the views answer is what the log states. */
import { silentLogger } from '@cupel/contracts'
import { LogStoppedError, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  inParallel,
  RebuildInProgressError,
  UnstatedRetirementError,
  rebuildReadModel,
  UnappliableRecordError,
  type DifferentRow,
  type ReadModel,
} from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import { problemOfRow, type Problem } from './problem.js'

interface Parts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
}

/** Views that are built at once: each takes up to nine connections. */
const VIEWS_AT_ONCE = 2

/**
 * The live tables stay as they are, whatever differs. A view that cannot be built from the log is a problem by itself, and so is a database
 * in which none can be built.
 * @param compare compares the view of a name, in a thread of its own perhaps
 */
export async function compareReadModels(
  database: Database,
  compare: (name: string) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  if (!(await canBuild(database)))
    return [problemOfRow('read-model', { row: 'every read model' }, NOT_COMPARED)]
  const problems = new Map<string, readonly Problem[]>()
  await inParallel(readModels, VIEWS_AT_ONCE, async ({ name }) => {
    problems.set(name, await compare(name))
  })
  return readModels.flatMap(({ name }) => problems.get(name)!)
}

const NOT_COMPARED =
  'The read models were not compared with the log: this database is a replica or read-only, or its user may not create schemas. Run the command on the primary, with the right CREATE on the database.'

/** Each view is built anew in a schema of its own. */
async function canBuild(database: Database): Promise<boolean> {
  const [row] = await database.query<{ canBuild: boolean }>(
    `SELECT current_setting('transaction_read_only') = 'off' AND has_database_privilege(current_database(), 'CREATE') AS "canBuild"`,
  )
  return row!.canBuild
}

export async function compareReadModel(name: string, { log, codec, database }: Parts): Promise<Problem[]> {
  const readModel: ReadModel = readModels.find((each) => each.name === name)!
  try {
    const { comparison } = await rebuildReadModel({
      ...{ readModel, log, codec, database, logger: silentLogger, compareOnly: true },
    })
    return comparison.flatMap(({ table, different, isEqual, rowsBefore, rowsAfter }) => {
      const whole = `${readModel.schema}.${table}`
      if (isEqual || different.length > 0)
        return different.map((row) => differenceOf('read-model', whole, row))
      const counts = `${whole} has ${rowsBefore} rows, and the log states ${rowsAfter}.`
      return [problemOfRow('read-model', { row: whole }, counts)]
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    const detail = `${readModel.name} was not compared with the log: ${error.message}`
    return [problemOfRow('read-model', { row: readModel.schema }, detail)]
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof LogStoppedError ||
  error instanceof UnappliableRecordError ||
  error instanceof RebuildInProgressError ||
  error instanceof UnstatedRetirementError

export function differenceOf(
  kind: 'read-model' | 'table',
  table: string,
  { key, difference, columns, since }: DifferentRow,
): Problem {
  const row = { row: `${table} ${key}`, since }
  if (difference === 'missing')
    return problemOfRow(kind, row, `${table} lacks the row ${key}, which the log states.`)
  if (difference === 'extra')
    return problemOfRow(kind, row, `${table} has the row ${key}, which no record states.`)
  return problemOfRow(
    kind,
    row,
    `${table} has the row ${key} with another ${columns.join(', ')} than the log states.`,
  )
}
