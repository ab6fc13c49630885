/** An installation with decided screens: the real projector and scorer on the embedded log, and commands that work on it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import {
  noMetrics,
  reportPartition,
  requestedEventId,
  screenTopic,
  silentLogger,
  topicOf,
  type DomainEvent,
  type ReportGenerated,
} from '@cupel/contracts'
import { compiledDefaultPolicy, parseAddress } from '@cupel/domain'
import { builtInRegistry, type EventCodec, type EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase, type Database } from '@cupel/postgres'
import { startProjector } from '@cupel/projector'
import { ensureDefaultPolicy } from '@cupel/policy'
import { startScorer } from '@cupel/scorer'
import { loadConfig } from '@cupel/service-kit'
import { createTestDatabase, until } from '@cupel/testkit'
import { expect } from 'vitest'
import { createContext } from '../src/context.js'
import { createProgram } from '../src/program.js'
import { prepareDatabase, prepareLog } from '../src/stack/foundation.js'

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

export interface Said {
  readonly out: string
  readonly error: unknown
  readonly exitCode: number
}

export interface Decided {
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly folder: string
  /** Runs a command as an operator would. */
  cupel(...args: readonly string[]): Promise<Said>
  /** As `cupel --json`, parsed. */
  json<T>(...args: readonly string[]): Promise<T>
  /** Writes a file into the folder and returns its path. */
  file(name: string, text: string): Promise<string>
  /** Imports rows under the header of Cupel's CSV as one set. */
  importLabels(set: string, rows: readonly string[], ...options: readonly string[]): Promise<void>
  /** Asks for a screen and resolves to its report once that is in the log. */
  screen(address: string, chain: string, livemode?: boolean): Promise<ReportGenerated>
  /** Writes other data into the first record of a report, as somebody with the disk in hands could. */
  tamper(reportId: string, change: (data: ReportGenerated) => ReportGenerated): Promise<void>
  /** Appends the failure of a screening under an id that may never have been asked for. */
  appendFailure(reportId: string): Promise<void>
  /** Appends a report once more, changed. */
  appendAgain(data: ReportGenerated): Promise<void>
  close(): Promise<void>
}

export async function openDecided(): Promise<Decided> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-decided-'))
  const testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  const connect = (applicationName: string): Database =>
    openDatabase({ connectionString, maxConnections: 12, applicationName, statementTimeoutMs: 0 })
  const [database, workers] = [connect('test'), connect('test-workers')]
  await prepareDatabase(database, silentLogger)
  const log = openEmbeddedLog({ database })
  const codec = await prepareLog({ database, registry: builtInRegistry(database), log, logger: silentLogger })
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ log, codec, database, policy })
  const environment = { CUPEL_HOME: folder, CUPEL_DATABASE_URL: connectionString, CUPEL_LOG: 'embedded' }
  const deps = { log, codec, database: workers, logger: silentLogger, metrics: noMetrics }
  const fail = (reason: string, error: unknown): void => {
    throw new Error(reason, { cause: error })
  }
  const projector = await startProjector(deps)
  const scorer = await startScorer({ ...deps, config: loadConfig(environment), fail })

  const records = async (livemode: boolean, reportId: string) => {
    const [topic, partition] = [topicOf('ReportGenerated', livemode), reportPartition(reportId)]
    const found: { readonly offset: number; readonly event: DomainEvent<'ReportGenerated'> }[] = []
    const to = await log.endOffset(topic, partition)
    for await (const batch of log.read({ topic, partition, from: 0, to })) {
      for (const record of batch) {
        if (record.key !== reportId) continue
        const event = codec.decodeAs('ReportGenerated', record)
        if (event !== null) found.push({ offset: record.offset, event })
      }
    }
    return found
  }
  const recordOf = (event: DomainEvent<'ReportGenerated'>) =>
    codec.encode(event, {
      topic: topicOf('ReportGenerated', event.data.livemode),
      key: event.data.reportId,
      partition: reportPartition(event.data.reportId),
    })

  const decided: Decided = {
    database,
    log,
    codec,
    folder,
    async cupel(...args) {
      const out: string[] = []
      const context = {
        ...createContext(environment, args),
        print: (text: string) => void out.push(text),
        note: () => undefined,
      }
      process.exitCode = 0
      let error: unknown = null
      await createProgram(context)
        .parseAsync([...args], { from: 'user' })
        .catch((thrown: unknown) => (error = thrown))
      const exitCode = Number(process.exitCode ?? 0)
      process.exitCode = 0
      return { out: out.join('\n'), error, exitCode }
    },
    async json<T>(...args: readonly string[]) {
      const said = await decided.cupel(...args, '--json')
      expect(said.error).toBeNull()
      return JSON.parse(said.out) as T
    },
    async file(name, text) {
      const path = join(folder, name)
      await writeFile(path, text)
      return path
    },
    async importLabels(set, rows, ...options) {
      const file = await decided.file(`${set}.csv`, [HEADER, ...rows, ''].join('\n'))
      const said = await decided.cupel('labels', 'import', file, '--format', 'csv', '--set', set, ...options)
      expect(said.error).toBeNull()
    },
    async screen(address, chain, livemode = true) {
      const event = requestOf(address, chain, livemode)
      const { reportId } = event.data
      await log.append('test', [
        codec.encode(event, { topic: screenTopic('interactive', livemode), key: reportId }),
      ])
      return await until(async () => {
        const [first] = await records(livemode, reportId)
        expect(first).toBeDefined()
        return first!.event.data
      })
    },
    async tamper(reportId, change) {
      for (const livemode of [true, false]) {
        const [first] = await records(livemode, reportId)
        if (first === undefined) continue
        const { value } = recordOf({ ...first.event, data: change(structuredClone(first.event.data)) })
        await database.execute(
          `UPDATE log.record SET value = $1 WHERE record_offset = $2 AND partition_id =
             (SELECT id FROM log.topic_partition WHERE topic = $3 AND partition = $4)`,
          [value, first.offset, topicOf('ReportGenerated', livemode), reportPartition(reportId)],
        )
        return
      }
      throw new Error(`There is no report ${reportId}`)
    },
    async appendFailure(reportId) {
      const event: DomainEvent<'ScreeningFailed'> = {
        type: 'ScreeningFailed',
        data: {
          reportId,
          accountId: 'acc_test',
          livemode: true,
          code: 'screening_failed',
          detail: 'a test',
          failedAt: new Date().toISOString(),
          jobId: null,
          jobIndex: null,
        },
        envelope: envelopeOf(reportId),
      }
      const partition = reportPartition(reportId)
      const topic = topicOf('ScreeningFailed')
      await log.append('test', [codec.encode(event, { topic, key: reportId, partition })])
    },
    async appendAgain(data) {
      const [first] = await records(data.livemode, data.reportId)
      const envelope = first?.event.envelope ?? envelopeOf(data.reportId)
      await log.append('test', [recordOf({ type: 'ReportGenerated', data, envelope })])
    },
    async close() {
      await scorer.stop()
      await projector.stop()
      await log.close()
      await Promise.all([database.close(), workers.close()])
      await testDatabase.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return decided
}

function requestOf(address: string, chain: string, livemode: boolean): DomainEvent<'ScreenRequested'> {
  const reportId = randomBytes(8).toString('hex')
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(`${address} is no address`)
  const now = new Date().toISOString()
  return {
    type: 'ScreenRequested',
    data: {
      reportId,
      accountId: 'acc_test',
      livemode,
      address,
      canonicalAddress: parsed.canonical,
      chain: parsed.chain,
      candidateChains: [],
      customerReference: null,
      lane: 'interactive',
      answerByAt: new Date(Date.now() + 60_000).toISOString(),
      requestedAt: now,
      reportUrl: `https://example.org/reports/${reportId}`,
      jobId: null,
      jobIndex: null,
      call: null,
    },
    envelope: envelopeOf(reportId),
  }
}

function envelopeOf(subject: string): DomainEvent['envelope'] {
  const id = requestedEventId()
  const time = new Date().toISOString()
  return { id, source: 'test', time, subject, correlationId: id, causationId: id }
}
