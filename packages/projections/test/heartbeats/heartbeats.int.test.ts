/** The numbers of processes, among living ones, ended ones, and returning ones. */
import { randomUUID } from 'node:crypto'
import type { Database } from '@cupel/postgres'
import { openTestDatabase, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimantOf, type Claimant } from '../../src/heartbeats/claim-instance.js'
import { heartbeatsMigrations, listProcesses, startHeartbeat } from '../../src/heartbeats/index.js'
import { type Heartbeat } from '../../src/heartbeats/beat.js'

let database: Database
let closing: (() => Promise<void>)[]
let pids = 1_000_000_000
beforeEach(async () => {
  const opened = await openTestDatabase([heartbeatsMigrations])
  ;({ database } = opened)
  closing = [opened.close]
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

/** A process of another host, unless the fields say otherwise. */
const claimant = (fields: Partial<Claimant> = {}): Claimant => ({
  ...claimantOf('api', '1.2.3'),
  // Even on a busy machine, a running process writes a heartbeat within this time.
  ...{ host: `host-${randomUUID()}`, pid: (pids += 1), staleMs: 120_000 },
  ...fields,
})

interface Started extends Heartbeat {
  readonly losses: string[]
}

async function start(
  instance: number | 'auto',
  of: Claimant = claimant(),
  failing: readonly string[] = [],
): Promise<Started> {
  const losses: string[] = []
  const heartbeat = await startHeartbeat({
    ...{ database, claimant: of, instance },
    failing: () => failing,
    onLost: (sentence) => void losses.push(sentence),
  })
  closing.push(() => heartbeat.stop())
  return { ...heartbeat, losses }
}

/** Leaves the row of a process that ended without notice. */
async function leaveBehind(of: Claimant, { instance = 0, ageSeconds = 0 } = {}): Promise<void> {
  await database.execute(
    `INSERT INTO heartbeats.process
       (service, instance, process, host, pid_namespace, pid, release, started_at, seen_at, skew_ms, failing)
     VALUES ($1, $2, $3, $4, $5, $6, '1.2.2', now(), clock_timestamp() - make_interval(secs => $7), 0, '{}')`,
    [of.service, instance, of.process, of.host, of.pidNamespace, of.pid, ageSeconds],
  )
}

test('a process tells that it runs, with its release and what is not ready', async () => {
  await start(3, claimant({ host: 'north' }), ['log'])
  await until(async () =>
    expect(await listProcesses(database)).toMatchObject([
      { service: 'api', instance: 3, host: 'north', release: '1.2.3', isSeen: true, failing: ['log'] },
    ]),
  )
  const [seen] = await listProcesses(database)
  expect(Math.abs(seen!.skewMs)).toBeLessThan(60_000)
  expect(Date.now() - Date.parse(seen!.startedAt)).toBeLessThan(600_000)
})

test('a second process with the number of a running one is refused by name, and the first one goes on', async () => {
  const first = await start(0, claimant({ host: 'north', pid: 17 }))
  await expect(start(0)).rejects.toThrow(
    'Instance 0 of the api runs already, as process 17 on north. Give each instance a CUPEL_INSTANCE of its own, or set it to auto.',
  )
  await start(1)
  await start(0, claimant({ service: 'scorer' }))
  expect(first.losses).toEqual([])
})

test('a process that stops in order gives its number back at once', async () => {
  const first = await start(0)
  await first.stop()
  expect(await listProcesses(database)).toEqual([])
  await start(0)
})

test('the number of a process that ended on this host is taken at once', async () => {
  const former = claimant({ host: 'north' })
  await leaveBehind(former)
  const isAlive = (pid: number): boolean => pid !== former.pid
  await start(0, claimant({ host: 'north', isAlive }))
})

test('a process started again under its own pid is the one that ended', async () => {
  const former = claimant({ host: 'north', pid: 1 })
  await leaveBehind(former)
  await start(0, claimant({ host: 'north', pid: 1, isAlive: () => true }))
})

test('a pid tells nothing about another host, nor about another namespace', async () => {
  const isAlive = (): boolean => false
  await start(0, claimant({ host: 'north', pid: 1, isAlive }))
  await expect(start(0, claimant({ host: 'south', pid: 1, isAlive }))).rejects.toThrow('runs already')
  const other = claimant({ host: 'north', pid: 1, pidNamespace: 'pid:[7]', isAlive })
  await expect(start(0, other)).rejects.toThrow('runs already')
})

test('the number of a process on another host is taken when it was silent for long', async () => {
  await leaveBehind(claimant(), { instance: 0, ageSeconds: 3_600 })
  await start(0)
  // Its last heartbeat lies in the future, because the clock of the database was set back.
  await leaveBehind(claimant(), { instance: 1, ageSeconds: -3_600 })
  await start(1, claimant({ staleMs: 1_000 }))
})

test('processes without a number of their own share no number, and take the lowest', async () => {
  await leaveBehind(claimant(), { instance: 2, ageSeconds: 3_600 })
  const started = await Promise.all(Array.from({ length: 6 }, () => start('auto')))
  expect(started.map(({ instance }) => instance).sort()).toEqual([0, 1, 2, 3, 4, 5])
  await started.find(({ instance }) => instance === 1)!.stop()
  expect(await start('auto')).toMatchObject({ instance: 1 })
})

test('a process that was not seen for long and lost its number says so once', async () => {
  const stalled = await start(0)
  await database.execute(`UPDATE heartbeats.process SET process = $1, seen_at = 'infinity'`, [randomUUID()])
  await until(() => expect(stalled.losses).toHaveLength(1))
  expect(stalled.losses[0]).toMatch(/^Another process took the number 0 of this api/)
})

test('after a restore of the database a process takes its number again', async () => {
  const heartbeat = await start(0)
  await database.execute('DELETE FROM heartbeats.process')
  await until(async () => expect(await listProcesses(database)).toMatchObject([{ instance: 0 }]))
  expect(heartbeat.losses).toEqual([])
})

test('who ended without a word is shown as not seen, for a day', async () => {
  await leaveBehind(claimant({ host: 'north' }), { instance: 4, ageSeconds: 3_600 })
  await leaveBehind(claimant(), { instance: 5, ageSeconds: 90_000 })
  expect(await listProcesses(database)).toMatchObject([{ instance: 4, host: 'north', isSeen: false }])
})

test('a database of an earlier release knows no process', async () => {
  await database.execute('DROP SCHEMA heartbeats CASCADE')
  expect(await listProcesses(database)).toEqual([])
  await expect(start(0)).rejects.toThrow('does not exist')
})
