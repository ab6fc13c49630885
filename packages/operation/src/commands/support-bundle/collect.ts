/** The contents of a support bundle, part by part. A part that cannot be read is named with its reason, and hides no other. */
import { arch, cpus, freemem, platform, release, totalmem } from 'node:os'
import { type EventLog, installationTopics, rangesOf } from '@cupel/event-log'
import { readRun } from '@cupel/local-stack'
import type { Queryable } from '@cupel/postgres'
import { listCheckpoints } from '@cupel/projections'
import { toldSettings } from '@cupel/kit/service'
import { withConnections, type Connections } from '@cupel/command-line/installation'
import { type CliContext, explain } from '@cupel/command-line'
import { findingsOf } from '../doctor/register.js'
import { postgresVersion } from '../install/install.js'
import { readStatus } from '../status/status.js'
import { folderSizes, recentLogs } from './home-files.js'
import type { TarFile } from './tar.js'

export interface Collected {
  readonly files: readonly TarFile[]
  readonly faults: readonly string[]
}

export interface CollectOptions {
  readonly context: CliContext
  /** Of this command. */
  readonly version: string
  /** Base addresses of metrics ports, besides those of a local installation. */
  readonly metricsUrls: readonly string[]
}

/** The longest that a service may take to give its metrics. */
const METRICS_TIMEOUT_MS = 30_000

export async function collect({ context, version, metricsUrls }: CollectOptions): Promise<Collected> {
  const files: TarFile[] = []
  const faults: string[] = []
  const add = async (name: string, make: () => Promise<string>): Promise<void> => {
    try {
      files.push({ name, text: await make() })
    } catch (error) {
      faults.push(`${name} is missing: ${(await explain(error)).sentence || String(error)}`)
    }
  }
  await add('settings.json', async () => json(toldSettings(context.environment)))
  await add('machine.json', async () => json(machine(version)))
  await add('sizes-of-the-home.json', async () => json(await folderSizes(context.home)))
  await add('checks.json', async () => json(await findingsOf(context)))
  const opened = await withConnections(context, (connections) =>
    collectFrom(connections, context.home, add),
  ).catch(async (error: unknown) => explain(error))
  if (opened !== undefined)
    faults.push(`status.json, log.json and database.json are missing: ${opened.sentence}`)
  for (const { name, url } of servicesOf(context.home, metricsUrls))
    await add(`metrics/${name}.txt`, () => metricsOf(url))
  try {
    files.push(...(await recentLogs(context.home)))
  } catch (error) {
    faults.push(`logs are missing: ${(await explain(error)).sentence || String(error)}`)
  }
  return { files, faults }
}

type Add = (name: string, make: () => Promise<string>) => Promise<void>

async function collectFrom(connections: Connections, home: string, add: Add): Promise<undefined> {
  await add('status.json', async () => json(await readStatus(connections, home)))
  await add('log.json', async () => json(await logState(connections)))
  await add('database.json', async () => json(await databaseState(connections.database)))
}

function machine(version: string): object {
  return {
    made_at: new Date().toISOString(),
    cupel: version,
    node: process.versions.node,
    openssl: process.versions.openssl,
    system: `${platform()} ${release()} ${arch()}`,
    processors: cpus().length,
    memory_bytes: totalmem(),
    free_memory_bytes: freemem(),
  }
}

/** Topics with the offsets of their partitions, and where each group is in them. */
async function logState({ log, database }: Connections): Promise<object> {
  const topics = await Promise.all(
    installationTopics().map(async ({ name }) => ({ topic: name, ...(await partitionsOf(log, name)) })),
  )
  const groups = await Promise.all(
    (await listCheckpoints(database)).map(async ({ group, topic, partition, next }) => {
      const end = await log.endOffset(topic, partition).catch(() => null)
      return { group, topic, partition, next, lag: end === null ? null : Math.max(0, end - next) }
    }),
  )
  return { kind: log.kind, topics, groups }
}

async function partitionsOf(log: EventLog, topic: string): Promise<object> {
  try {
    const ranges = await rangesOf(log, [topic])
    return { partitions: ranges.map(({ partition, from: start, to: end }) => ({ partition, start, end })) }
  } catch (error) {
    return { fault: (await explain(error)).sentence || String(error) }
  }
}

async function databaseState(database: Queryable): Promise<object> {
  const tables = await database.query(
    `SELECT schemaname || '.' || relname AS table, pg_total_relation_size(relid)::float8 AS bytes,
            n_live_tup::float8 AS rows_estimated, n_dead_tup::float8 AS dead_rows_estimated, last_autovacuum
     FROM pg_stat_user_tables ORDER BY 2 DESC, 1`,
  )
  const connections = await database.query(
    `SELECT application_name, state, count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() GROUP BY 1, 2 ORDER BY 1, 2`,
  )
  return { postgres: await postgresVersion(database), tables, connections }
}

function servicesOf(home: string, metricsUrls: readonly string[]): { name: string; url: string }[] {
  const local = (readRun(home)?.services ?? []).map(({ name, healthUrl }) => ({ name, url: healthUrl }))
  const given = metricsUrls.map((url, index) => ({ name: `given-${index + 1}`, url }))
  return [...local, ...given]
}

async function metricsOf(url: string): Promise<string> {
  const response = await fetch(`${url.replace(/\/$/, '')}/metrics`, {
    signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${url} answered with ${response.status}`)
  return await response.text()
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
