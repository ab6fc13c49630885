/** An installation on foreign brokers, registry and Postgres loses its database and its topics, and is restored only from an archive. */
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { GENESIS_TOPIC, installationTopics } from '@cupel/event-log'
import { deleteTopic } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import type { Said } from './command-line.js'
import { commandsBelow } from './follow-page.js'
import type { SecuredCluster } from './secured-cluster.js'

export interface DrillParts {
  readonly cluster: SecuredCluster
  readonly folder: string
  readonly topicPrefix: string
  readonly json: <T>(...args: string[]) => Promise<T>
  /** Runs a command of a page, which must succeed. */
  readonly follow: (command: string) => Promise<Said>
  readonly startServices: () => void
  readonly stopServices: () => Promise<void>
  /** A call with a key; the body is posted. */
  readonly fetchText: (path: string, key: string, body?: object) => Promise<{ status: number; text: string }>
  readonly key: string
  readonly sizes: { readonly report: number; readonly screen: number }
}

const PAGE = 'docs/runbooks/restore-an-archive.md'
const SECTION = 'The database and the topics of a cluster are lost'
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

interface Recomputed {
  readonly log: string
  readonly reports: number
  readonly levels: { readonly A: object }
  readonly scorers: readonly object[]
}

export async function archiveDrill(parts: DrillParts): Promise<void> {
  const { cluster, json, follow, startServices, stopServices, fetchText } = parts
  const archive = join(parts.folder, 'cupel-archive')
  const words = (command: string): string =>
    command
      .replace('/backup/cupel-archive', archive)
      .replace(/--report-partitions \d+/, `--report-partitions ${parts.sizes.report}`)
      .replace(/--screen-partitions \d+/, `--screen-partitions ${parts.sizes.screen}`)
  const commands = commandsBelow(PAGE, SECTION)
  const [install, restoreArchive, restore, upgrade, accounts, keys, verify, recompute] = commands.map(words)

  const answered = new Map<string, string>()
  const screen = async (key: string): Promise<string> => {
    const { status, text } = await fetchText('/v1/screen', key, { address: LAZARUS })
    expect(status, text).toBe(200)
    return (JSON.parse(text) as { report_id: string }).report_id
  }
  for (let left = 3; left > 0; left -= 1) {
    const id = await until(() => screen(parts.key))
    answered.set(id, (await fetchText(`/v1/reports/${id}`, parts.key)).text)
  }
  await stopServices()
  await json('archive', 'create', archive)
  const before = await json<Recomputed>('audit', 'recompute', '--level', 'A')

  await loseDatabase(cluster)
  const connection = { ...cluster.kafka.access, clientId: 'test', logger: silentLogger }
  for (const name of [GENESIS_TOPIC, ...installationTopics().map((topic) => topic.name)])
    await deleteTopic(connection, `${parts.topicPrefix}${name}`)

  await follow(install!)
  await follow(restoreArchive!)
  expect((await follow(restore!)).out).toContain('The services may be started.')
  await follow(upgrade!)
  // This runs before a watch decides again.
  const after = await json<Recomputed>('audit', 'recompute', '--level', 'A')
  expect({ ...after, log: null, measured: null }).toEqual({ ...before, log: null, measured: null })
  startServices()
  expect((await follow(accounts!)).out).toContain('acc_')
  const { items } = await json<{ items: { account_id: string }[] }>('accounts', 'list')
  const account = items[0]!.account_id
  const { key } = JSON.parse((await follow(`${keys!.replace('acc_…', account)} --json`)).out) as {
    key: string
  }
  await until(async () => {
    for (const [id, text] of answered)
      expect(await fetchText(`/v1/reports/${id}`, key)).toEqual({ status: 200, text })
  })
  // The new log has its tree some seconds after the start.
  await until(() => follow(verify!))
  await follow(recompute!)
  expect(after.log).not.toBe(before.log)
  expect(answered.has(await until(() => screen(key)))).toBe(false)
}

async function loseDatabase({ databaseUrl }: SecuredCluster): Promise<void> {
  const url = new URL(databaseUrl)
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  const server = openDatabase({
    ...{ connectionString: url.toString(), maxConnections: 1, applicationName: 'test' },
    onIdleError: () => undefined,
  })
  try {
    await server.execute(`DROP DATABASE ${name} WITH (FORCE)`)
    await server.execute(`CREATE DATABASE ${name}`)
  } finally {
    await server.close()
  }
}
