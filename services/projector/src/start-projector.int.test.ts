import { topicOf, type DomainEvent, type EventData, type EventType } from '@cupel/contracts'
import { LogStoppedError, type EventLog, type LogStopReason } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { outboxType, readModelGroup, writeOutbox } from '@cupel/projections'
import { getReport, reportView } from '@cupel/reports/read-model'
import { listSets } from '@cupel/labels/read-model'
import { readActivePolicy } from '@cupel/policy/read-model'
import { readModels } from '@cupel/operation/read-models'
import { until } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProjector, type RunningProjector } from './start-projector.js'

let installation: TestInstallation
let database: Database
let log: EventLog
let append: TestInstallation['append']

beforeEach(async () => {
  // Without the tables of the read models: the projector makes them.
  installation = await openTestInstallation({ readModels })
  ;({ database, log, append } = installation)
})
afterEach(() => installation.close())

async function start(): Promise<RunningProjector> {
  const projector = await startProjector(installation.deps)
  installation.onClose(() => projector.stop())
  return projector
}

/** A log that ends the subscription of one read model for this reason as soon as it has begun. */
function stoppedLog(group: string, reason: LogStopReason): EventLog {
  return {
    ...log,
    async subscribe(options) {
      const subscription = await log.subscribe(options)
      if (options.group === group)
        setImmediate(() => options.onStopped(new LogStoppedError(reason, 'a reason of the test')))
      return subscription
    },
  }
}

function event<T extends EventType>(type: T, subject: string, data: Partial<EventData[T]>): DomainEvent<T> {
  const time = '2026-11-21T09:00:00.000Z'
  const envelope = {
    id: subject,
    source: 'test',
    time,
    subject,
    correlationId: subject,
    causationId: subject,
  }
  return { type, data, envelope } as unknown as DomainEvent<T>
}

const failed = (reportId: string, failedAt = '2026-11-21T09:00:00.000Z'): DomainEvent<'ScreeningFailed'> =>
  event('ScreeningFailed', reportId, {
    ...{ reportId, failedAt, accountId: 'acc_1', livemode: true, code: 'screening_failed' },
    ...{ detail: '', isTransfer: false, jobId: null, jobIndex: null },
  })
const policy = (version: number): DomainEvent<'PolicyActivated'> =>
  event('PolicyActivated', `policy ${version}`, {
    ...{ policyId: 'default', version, document: '{}', sha256: 'hash' },
    ...{ activatedBy: 'test', reason: '', activatedAt: '2026-11-21T09:00:00.000Z' },
  })
const published = (importId: string): DomainEvent<'LabelSetPublished'> =>
  event('LabelSetPublished', importId, {
    ...{
      importId,
      source: 'starter',
      dataset: 'starter',
      sha256: 'hash',
      asOf: null,
      publishedAt: '2026-11-21',
    },
    ...{
      historical: false,
      appended: false,
      authorityOrigin: '',
      importedBy: 'test',
      refreshConfigured: false,
    },
    ...{ total: 0, added: 0, unchanged: 0, retired: 0, refused: 0, acceptedRemovals: null, reason: null },
  })
const isReported = async (reportId: string): Promise<boolean> =>
  (await getReport(database, { accountId: 'acc_1', livemode: true, reportId })) !== null

test('every read model follows the log, from what was there before on', async () => {
  await append(policy(1), published('i1'), failed('r1'))
  const projector = await start()
  await until(() => expect(projector.checks().filter((check) => !check.ok)).toEqual([]))
  await append(policy(2), published('i2'), failed('r2'))
  await until(async () => {
    expect(await readActivePolicy(database)).toMatchObject({ version: 2 })
    expect(await listSets(database)).toMatchObject([{ importId: 'i2' }])
    expect([await isReported('r1'), await isReported('r2')]).toEqual([true, true])
  })
})

test('the outbox reaches the log', async () => {
  await start()
  await database.transaction({ at: 'test' }, async (transaction) => {
    const account = {
      accountId: 'acc_1',
      name: 'First',
      createdAt: '2026-11-21T09:00:00.000Z',
      createdBy: 'test',
    }
    const type = outboxType('AccountCreated')
    const written = { ...event('AccountCreated', 'acc_1', account), type }
    await writeOutbox(transaction, written, { topic: topicOf(type), key: 'acc_1' })
  })
  await until(async () => expect(await log.endOffset(topicOf('AccountCreated'), 0)).toBe(1))
})

test('a read model that an operator stops leaves the others running', async () => {
  const projector = await start()
  await projector.stopProjection('label-view')
  await append(policy(1), published('i1'), failed('r1'))
  await until(async () => expect(await readActivePolicy(database)).not.toBeNull())
  await until(async () => expect(await isReported('r1')).toBe(true))
  expect(await listSets(database)).toEqual([])
  await until(() =>
    expect(projector.checks().filter((check) => !check.ok)).toEqual([
      { name: 'label-view', ok: false, detail: 'idle' },
    ]),
  )
  await expect(projector.stopProjection('unknown-view')).rejects.toThrow(/no projection/)
})

test('a record that cannot be applied stops only its read model, and the check names the place', async () => {
  const projector = await start()
  await append(failed('r1', 'no time at all'), policy(1))
  await until(async () => expect(await readActivePolicy(database)).not.toBeNull())
  const topic = topicOf('ScreeningFailed')
  const place = `${topic}[${await log.partitionFor(topic, 'r1')}] offset 0`
  await until(() => {
    const check = projector.checks().find(({ name }) => name === 'report-view')
    expect(check).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`stopped in front of ${place}`) as string,
    })
  })
})

test('a second start goes on where the first one stopped', async () => {
  const first = await start()
  await append(policy(1))
  await until(async () => expect(await readActivePolicy(database)).toMatchObject({ policySeq: 1 }))
  await first.stop()
  await append(policy(2))
  await start()
  await until(async () => expect(await readActivePolicy(database)).toMatchObject({ policySeq: 2 }))
})

test('a stopped audit projection is told, and stops neither the others nor what waits for the projector', async () => {
  const projector = await start()
  const damaged = { value: Buffer.from('no event'), headers: { ce_type: 'ApiRequestAudited' } }
  await log.append('test', [{ topic: topicOf('ApiRequestAudited'), key: 'acc_1', ...damaged }])
  await append(policy(1))
  await until(async () => expect(await readActivePolicy(database)).not.toBeNull())
  await until(() => {
    const check = projector.checks().find(({ name }) => name === 'audit-view')
    expect(check).toMatchObject({
      ...{ ok: false, aside: true },
      detail: expect.stringContaining('stopped in front of') as string,
    })
  })
  expect(projector.projections().find(({ name }) => name === 'audit-view')).toMatchObject({
    state: 'stopped',
  })
  await until(() => expect(projector.checks().filter(({ ok }) => !ok)).toHaveLength(1))
})

test('a read model whose client of the log hangs ends the process, and one that stopped for another reason does not', async () => {
  const failures: string[] = []
  const run = async (reason: LogStopReason): Promise<RunningProjector> => {
    const projector = await startProjector({
      ...installation.deps,
      log: stoppedLog(readModelGroup(reportView), reason),
      fail: (sentence) => failures.push(sentence),
    })
    installation.onClose(() => projector.stop())
    await until(() =>
      expect(projector.projections().filter(({ state }) => state === 'stopped')).toHaveLength(1),
    )
    return projector
  }
  await (await run('truncated-log')).stop()
  expect(failures).toEqual([])
  await run('stuck')
  expect(failures).toEqual([`The read model ${reportView.name} hangs`])
})
