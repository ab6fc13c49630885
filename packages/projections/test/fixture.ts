/** A database with the projection tables, a log in memory, and functions that wait for conditions. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import type { NewRecord } from '@cupel/event-log'
import { openDatabase, type Database } from '@cupel/postgres'
import { createTestDatabase, memoryLog, migratedTemplate, type MemoryLog } from '@cupel/testkit'
import {
  installReadModels,
  projectionsMigrations,
  runReadModel,
  type ReadModel,
  type RunningReadModel,
} from '../src/index.js'
import { event, jsonCodec } from './json-codec.js'
import { noteView, TOPIC } from './note-view.js'

export interface Fixture {
  readonly database: Database
  readonly connectionString: string
  readonly log: MemoryLog
  run(readModel?: ReadModel, on?: MemoryLog): RunningReadModel
  /** Appends one report per `id:level` to the given partition. */
  report(partition: number, ...notes: string[]): Promise<void>
  notes(): Promise<string[]>
  checkpoint(partition: number, group?: string): Promise<number | null>
  close(): Promise<void>
}

export async function openFixture(readModels: readonly ReadModel[] = [noteView]): Promise<Fixture> {
  const testDatabase = await createTestDatabase(await migratedTemplate([projectionsMigrations]))
  const { connectionString } = testDatabase
  const database = openDatabase({ connectionString, maxConnections: 8, applicationName: 'test' })
  await installReadModels(database, readModels)
  // Two readers of one group behave like a member that lost its partitions and does not know it.
  const log = memoryLog({ partitions: 2, hasGroups: false })
  const running: RunningReadModel[] = []
  return {
    database,
    connectionString,
    log,
    run(readModel = noteView, on = log) {
      const started = runReadModel({
        readModel,
        log: on,
        codec: jsonCodec,
        database,
        logger: silentLogger,
        metrics: noMetrics,
        commitIntervalMs: 5,
        statusIntervalMs: 20,
      })
      running.push(started)
      return started
    },
    async report(partition, ...notes) {
      await log.append(
        'test',
        notes.map((note) => noteRecord(partition, note)),
      )
    },
    async notes() {
      const rows = await database.query<{ note: string }>(
        `SELECT report_id || ':' || level AS note FROM note_view.note ORDER BY log_partition, log_offset`,
      )
      return rows.map((row) => row.note)
    },
    async checkpoint(partition, group = 'projector.note-view.v1') {
      const [row] = await database.query<{ next: number }>(
        'SELECT next FROM projection.checkpoint WHERE group_name = $1 AND topic = $2 AND partition = $3',
        [group, TOPIC, partition],
      )
      return row?.next ?? null
    },
    async close() {
      await Promise.all(running.map((one) => one.stop()))
      await log.close()
      await database.close()
      await testDatabase.drop()
    },
  }
}

function noteRecord(partition: number, note: string): NewRecord {
  const [reportId, level] = note.split(':') as [string, string]
  return jsonCodec.encode(event('ReportGenerated', note, { reportId, level }), {
    topic: TOPIC,
    key: reportId,
    partition,
  })
}
