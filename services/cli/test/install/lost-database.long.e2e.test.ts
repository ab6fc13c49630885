/**
 * An installation on a secured cluster loses the data that its runbooks cover: a day of its database, later the database and all topics.
 * The pages, followed word for word, restore it, and customers erased after the backup stay erased.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@cupel/postgres'
import { logServices } from '@cupel/operation/connections'
import { noteSkip, until } from '@cupel/testkit'
import { topicSpecs } from '@cupel/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { archiveDrill } from '../archive-drill.js'
import { commandsBelow } from '../follow-page.js'
import { forgottenCustomers } from '../forgotten-customers.js'
import {
  openSecuredInstallation,
  TOPIC_PREFIX,
  type Customer,
  type SecuredInstallation,
} from '../secured-installation.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`an installation that loses its database and its topics: ${missing}`)
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORT_PARTITIONS = 32
/** The runbook starts the projector first. */
const IN_ORDER = ['projector', ...logServices.filter((each) => each !== 'projector')] as const

describe.skipIf(missing !== undefined)('an installation that loses its database and its topics', () => {
  let installation: SecuredInstallation
  let customer: Customer

  beforeAll(async () => {
    installation = await openSecuredInstallation({ signs: true })
    await installation.json('log', 'rotate-signing-key')
    await installation.json('install', '--report-partitions', String(REPORT_PARTITIONS))
    await installation.json('accounts', 'make-personal-data-key')
    startServices()
    customer = await installation.signUp()
    await until(screen)
  })
  afterAll(() => (installation as SecuredInstallation | undefined)?.close())

  const startServices = (): void => IN_ORDER.forEach((service) => installation.serve(service))
  const call: SecuredInstallation['call'] = (path, body) => installation.call(path, body)

  /** Copies the database like a snapshot of the volume: one consistent state, without connections. */
  async function copyDatabase(from: string, to: string): Promise<void> {
    const url = new URL(installation.cluster.databaseUrl)
    url.pathname = '/postgres'
    const server = openDatabase({
      ...{ connectionString: url.toString(), maxConnections: 1, applicationName: 'test' },
      onIdleError: () => undefined,
    })
    await server.execute(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
    await until(() => server.execute(`CREATE DATABASE ${to} TEMPLATE ${from}`))
    await server.close()
  }

  const answered: string[] = []
  const screen = async (): Promise<void> => {
    const { status, json: report } = await call('/v1/screen', { address: LAZARUS })
    expect(status).toBe(200)
    answered.push(String(report['report_id']))
  }
  const readAll = async (): Promise<void> => {
    for (const id of answered) expect((await call(`/v1/reports/${id}`)).status).toBe(200)
  }
  const customers = forgottenCustomers({
    call,
    cupel: (...args) => installation.cupel(...args),
    account: () => customer.account,
    address: LAZARUS,
  })
  const brokerFiles = (): string => join(installation.folder, 'kafka')

  test('two customers are erased after a backup of database and keys, and no file of the broker showed or shows them', async () => {
    await screen()
    await customers.fill()
    await installation.stopServices()
    await copyDatabase('elsewhere', 'backup')
    copyFileSync(installation.keysFile, join(installation.folder, 'backup-of-keys.json'))
    customers.expectNoneIn(brokerFiles())
    startServices()
    await until(screen)
    await screen()
    await customers.erase()
    customers.expectNoneIn(brokerFiles())
  })

  test('a lost day of the database comes back as the runbook of a restore says, word for word, and who was erased does not', async () => {
    const [upgrade, plan, restore, again, recompute] = commandsBelow(
      'docs/runbooks/restore-a-backup.md',
      'Restore',
    )
    // 1. Stop every service.  2. Put back what was lost.
    await installation.stopServices()
    await copyDatabase('backup', 'elsewhere')
    copyFileSync(join(installation.folder, 'backup-of-keys.json'), installation.keysFile)
    await installation.follow(upgrade!)
    const behind = installation.serve('api')
    expect((await behind.exited).code).not.toBe(0)
    expect(behind.output()).toContain('an older database was restored')
    expect((await installation.follow(plan!)).out).toContain('Nothing was changed: this was a dry run.')
    const restored = (await installation.follow(restore!)).out
    expect(restored).toContain('2 times keys of personal data that were destroyed after the backup')
    expect(restored).toContain('Done. The services may be started.')
    expect((await installation.follow(again!)).out).toContain('Nothing to do. The services may be started.')
    startServices()
    await until(readAll)
    await until(screen)
    await readAll()
    await customers.expectErased()
    customers.expectNoneIn(brokerFiles())
    expect(new Set(answered).size).toBe(answered.length)
    await installation.follow(recompute!)
  })

  test('a lost database and lost topics come back from an archive as its runbook says: the same reports, byte for byte', async () => {
    const { folder, cluster, openLog, json, follow, stopServices, fetchText } = installation
    const log = openLog()
    const screens = await log.partitionCount(topicSpecs.find(({ mayGrow }) => mayGrow)!.name)
    await log.close()
    await archiveDrill({
      ...{ cluster, folder, topicPrefix: TOPIC_PREFIX, json, follow, startServices, stopServices, fetchText },
      key: customer.key,
      sizes: { report: REPORT_PARTITIONS, screen: screens },
    })
  })
})
