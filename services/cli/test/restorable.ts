/**
 * An installation with a separate log and database, so that a test can put back an older copy of either. Services run only within
 * `run`: between two runs no process is connected, as when a person restores a backup.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadInstallationSecrets } from '@cupel/gate/access'
import {
  evidenceSettings,
  SIGNING_KEYS_FILE,
  type AdoptedLog,
  type EvidenceSettings,
} from '@cupel/evidence/transparency'
import { silentLogger, noMetrics } from '@cupel/contracts'
import { builtInRegistry, installationTopics, registerSchemas, registerRecordKeys } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createJudge, parseAllowedRanges } from '@cupel/kit/outbound'
import { loadConfig, type Config } from '@cupel/kit/service'
import { createSigningKeys } from '@cupel/signing'
import { startStandalone } from '@cupel/standalone'
import { killedAt, until } from '@cupel/testkit'
import { failLoudly, testRecordKeys } from '@cupel/testkit/installation'
import { createSecretBox, type EndpointStore } from '@cupel/webhooks'
import { prepareDatabase, ensureDefaultPolicy } from '@cupel/command-line/installation'
import type { Restored, RestoreOptions } from '@cupel/operation/commands'
import {
  adoptOpened,
  embeddedLog,
  open,
  restoreOpened,
  withOpened,
  type Opened,
  type OpenLog,
} from './opened.js'

export type { Opened } from './opened.js'

export interface Reply {
  readonly status: number
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

export interface Running extends Opened {
  /** Sends a `POST` if there is a body. */
  call(path: string, key: string, body?: unknown): Promise<Reply>
  /** Accepts receivers on this machine. */
  readonly webhooks: EndpointStore
}

export interface Restorable {
  /** Keys, and the stores of the published files; null for an installation that signs nothing. */
  readonly evidence: EvidenceSettings | null
  /** Every service runs on the present database and log while `work` runs. */
  run<T>(work: (running: Running) => Promise<T>): Promise<T>
  /** Opens connections without services. */
  opened<T>(work: (opened: Opened) => Promise<T>): Promise<T>
  /** Copies the present database; returns the name of the copy. */
  backUp(): Promise<string>
  /** From now on the installation uses a copy of this copy as its database. */
  putBack(name: string): Promise<void>
  /** Copies the present embedded log, with another identity if requested; returns the name of the copy. */
  backUpLog(options?: { readonly isAnother?: boolean }): Promise<string>
  /** Changes the present embedded log as an attacker with the disk could. */
  tamper(statement: string): Promise<void>
  /** Adopts the present log in place of the one that the database followed. */
  adopt(options?: { readonly dryRun?: boolean }): Promise<AdoptedLog>
  /** From now on the installation uses this copy as its log. */
  putBackLog(name: string): void
  /** Opens a pool on the present database. */
  connect(applicationName: string): Database
  restore(options?: Partial<RestoreOptions>): Promise<Restored>
  /** Runs the command in a separate process with the embedded log; a failpoint kills it. */
  killedAt(point: string, command: 'restore' | 'adopt'): Promise<void>
  close(): Promise<void>
}

const OPERATOR = new URL('./operator-process.ts', import.meta.url)
const SETTINGS = {
  CUPEL_PORT: '0',
  CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
  CUPEL_WEB: 'false',
  CUPEL_CHECKPOINT_INTERVAL_MS: '100',
}

export interface RestorableOptions {
  /** Opens a log in place of the embedded one. */
  readonly openLog?: OpenLog
  /** Whether checkpoints of the log are signed. */
  readonly signs?: boolean
}

export async function openRestorable({
  openLog: openOther,
  signs = false,
}: RestorableOptions = {}): Promise<Restorable> {
  const home = mkdtempSync(join(tmpdir(), 'cupel-restorable-'))
  if (signs) createSigningKeys(join(home, SIGNING_KEYS_FILE))
  const config = loadConfig({ ...SETTINGS, CUPEL_HOME: home })
  const evidence = evidenceSettings({ ...config, CUPEL_HOME: home }, () => undefined)
  const server = process.env['CUPEL_TEST_POSTGRES_URL']
  if (server === undefined) throw new Error('This test belongs to a project with Postgres')
  const admin = open(server)
  const made: string[] = []
  const create = async (template?: string): Promise<string> => {
    const name = `restore_${randomBytes(8).toString('hex')}`
    made.push(name)
    await until(() =>
      admin.execute(
        `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template} STRATEGY FILE_COPY`}`,
      ),
    )
    return name
  }
  let presentLog = openOther === undefined ? await create() : ''
  const openLog: OpenLog = openOther ?? (() => embeddedLog(urlOf(server, presentLog)))
  if (openOther === undefined) await prepare(urlOf(server, presentLog))
  let present = await create()
  const opened = <T>(work: (opened: Opened) => Promise<T>): Promise<T> =>
    withOpened(urlOf(server, present), openLog, work)
  await install(urlOf(server, present), openLog)
  return {
    evidence,
    opened,
    run: (work) =>
      opened(async (parts) => {
        const services = await startServices(parts, urlOf(server, present), config)
        try {
          return await work({
            ...parts,
            call: callOf(services.url),
            webhooks: await endpointStore(parts.database, config),
          })
        } finally {
          await services.stop()
        }
      }),
    backUp: () => create(present),
    async putBack(name) {
      present = await create(name)
    },
    async backUpLog({ isAnother = false } = {}) {
      const name = await create(presentLog)
      if (isAnother) await changed(urlOf(server, name), 'UPDATE log.identity SET log_id = gen_random_uuid()')
      return name
    },
    tamper: (statement) => changed(urlOf(server, presentLog), statement),
    adopt: (options) => opened((parts) => adoptOpened(parts, evidence!, options)),
    putBackLog: (name) => (presentLog = name),
    connect: (applicationName) => open(urlOf(server, present), applicationName),
    restore: (options) => opened((parts) => restoreOpened(parts, evidence, options)),
    killedAt: (point, command) =>
      killedAt(OPERATOR, [command, urlOf(server, present), urlOf(server, presentLog), home], point),
    async close() {
      for (const name of made) await admin.execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await admin.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function prepare(connectionString: string): Promise<void> {
  const database = open(connectionString)
  await prepareDatabase(database, silentLogger).finally(() => database.close())
}

async function changed(connectionString: string, statement: string): Promise<void> {
  const database = open(connectionString)
  await database.execute(statement).finally(() => database.close())
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.toString()
}

async function install(connectionString: string, openLog: OpenLog): Promise<void> {
  const database = open(connectionString)
  const log = openLog()
  try {
    await prepareDatabase(database, silentLogger)
    await registerSchemas({ database, registry: builtInRegistry(database), logger: silentLogger })
    await log.ensureTopics(installationTopics())
    await registerRecordKeys({ database, log, keys: testRecordKeys })
  } finally {
    await log.close()
    await database.close()
  }
  await withOpened(connectionString, openLog, async (parts) => void (await ensureDefaultPolicy(parts)))
}

async function startServices(
  { log, codec, database }: Opened,
  connectionString: string,
  config: Config,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const apiDatabase = open(connectionString)
  const standalone = await startStandalone({
    ...{ config, log, codec, apiDatabase, workerDatabase: database },
    ...{ logger: silentLogger, metrics: noMetrics, fail: failLoudly },
  })
  await until(() => {
    const failing = standalone.checks().filter(({ ok }) => !ok)
    if (failing.length > 0) throw new Error(`not ready: ${failing.map(({ name }) => name).join(', ')}`)
  })
  return {
    url: standalone.url,
    async stop() {
      await standalone.stop()
      await apiDatabase.close()
    },
  }
}

function callOf(url: string): Running['call'] {
  return async (path, key, body) => {
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: () => JSON.parse(text) }
  }
}

async function endpointStore(database: Database, config: Config): Promise<EndpointStore> {
  const { webhookSecretsKey } = await loadInstallationSecrets(database)
  return {
    database,
    secrets: createSecretBox({ installationKey: webhookSecretsKey, operatorKey: undefined }),
    judge: createJudge({ allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW) }),
    sealRecipient: null,
  }
}
