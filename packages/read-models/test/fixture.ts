/** The real log, codec and database under the read models, and the events of an import in a few words. */
import {
  noMetrics,
  silentLogger,
  topicOf,
  topicSpecs,
  type DomainEvent,
  type EventData,
  type EventType,
} from '@cupel/contracts'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import {
  installReadModels,
  projectionsMigrations,
  readModelGroup,
  rebuildReadModel,
  runReadModel,
  waitUntilProjected,
  type ReadModel,
  type RebuildResult,
  type RunningReadModel,
} from '@cupel/projections'
import { createTestDatabase } from '@cupel/testkit'
import { readModels } from '../src/index.js'

export interface Fixture {
  readonly connectionString: string
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  run(readModel: ReadModel): RunningReadModel
  append(...events: readonly DomainEvent[]): Promise<void>
  /** Appends and waits until the read model, which must run, has them. */
  project(readModel: ReadModel, ...events: readonly DomainEvent[]): Promise<void>
  caughtUp(readModel: ReadModel): Promise<void>
  rebuild(readModel: ReadModel): Promise<RebuildResult>
  close(): Promise<void>
}

const CAUGHT_UP_TIMEOUT_MS = 30_000

export async function openFixture(): Promise<Fixture> {
  const testDatabase = await createTestDatabase()
  const connect = (applicationName: string): Database =>
    openDatabase({ connectionString: testDatabase.connectionString, maxConnections: 8, applicationName })
  const database = connect('test')
  const logDatabase = connect('test-log')
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations]))
  await installReadModels(database, readModels)
  const log = openEmbeddedLog({ database: logDatabase })
  await log.ensureTopics(topicSpecs)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const running: RunningReadModel[] = []

  return {
    connectionString: testDatabase.connectionString,
    database,
    log,
    codec,
    run(readModel) {
      const one = runReadModel({
        readModel,
        log,
        codec,
        database,
        logger: silentLogger,
        metrics: noMetrics,
        commitIntervalMs: 5,
      })
      running.push(one)
      return one
    },
    append,
    async project(readModel, ...events) {
      await append(...events)
      await caughtUp(readModel)
    },
    caughtUp,
    rebuild: (readModel) => rebuildReadModel({ readModel, log, codec, database, logger: silentLogger }),
    async close() {
      await Promise.all(running.map((one) => one.stop()))
      await log.close()
      await Promise.all([database.close(), logDatabase.close()])
      await testDatabase.drop()
    },
  }

  async function append(...events: readonly DomainEvent[]): Promise<void> {
    await log.append(
      'test',
      events.map((event) => codec.encode(event, { topic: topicFor(event), key: event.envelope.subject })),
    )
  }

  async function caughtUp(readModel: ReadModel): Promise<void> {
    for (const topic of readModel.topics) {
      for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
        const offset = await log.endOffset(topic, partition)
        const group = readModelGroup(readModel)
        if (
          !(await waitUntilProjected({
            database,
            group,
            topic,
            partition,
            offset,
            timeoutMs: CAUGHT_UP_TIMEOUT_MS,
          }))
        ) {
          throw new Error(`${readModel.name} did not reach ${topic}[${partition}] offset ${offset}`)
        }
      }
    }
  }
}

function topicFor(event: DomainEvent): string {
  return topicOf(event.type, 'livemode' in event.data ? event.data.livemode : true)
}

let made = 0

export function event<T extends EventType>(
  type: T,
  subject: string,
  data: EventData[T],
  id = `e${(made += 1)}`,
): DomainEvent<T> {
  return {
    type,
    data,
    envelope: {
      id,
      source: 'test',
      time: '2026-11-21T09:00:00.000Z',
      subject,
      correlationId: id,
      causationId: id,
    },
  } as DomainEvent<T>
}
