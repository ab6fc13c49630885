import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../test/until.js'
import {
  describeExit,
  MAX_LOG_BYTES,
  processIdentity,
  startChild,
  stopOrphans,
  supervise,
  type Child,
  type ChildSpec,
} from './index.js'

let folder: string
let children: Child[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-child-'))
  children = []
})
afterEach(async () => {
  await Promise.all(children.map((child) => child.stop()))
  rmSync(folder, { recursive: true, force: true })
})

const LOOP = 'setInterval(() => {}, 60000);'

function spec(script: string, changes: Partial<ChildSpec> = {}): ChildSpec {
  return {
    name: 'sample',
    command: process.execPath,
    args: ['-e', `${script}; console.log('up')`],
    logFile: join(folder, 'logs', 'sample.log'),
    recordFolder: join(folder, 'processes'),
    stage: 'service',
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    ...changes,
  }
}

async function start(child: ChildSpec): Promise<Child> {
  const started = startChild(child)
  children.push(started)
  await until('its first words', () => started.output().includes('up') || started.exit() !== null)
  return started
}

test('a child that listens to its signal ends by itself, and its record goes with it', async () => {
  const child = await start(spec(`process.on('SIGTERM', () => process.exit(3)); ${LOOP}`))
  expect(existsSync(join(folder, 'processes', 'sample.json'))).toBe(true)

  expect(await child.stop()).toEqual({ code: 3, signal: null })

  expect(existsSync(join(folder, 'processes', 'sample.json'))).toBe(false)
})

test('a child that ignores its signal is killed, and what it started with it', async () => {
  const stubborn = `
    process.on('SIGTERM', () => {});
    const grandchild = require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM',()=>{});${LOOP}"]);
    console.log('grandchild ' + grandchild.pid + '.');
    ${LOOP}`
  const child = await start(spec(stubborn, { stopTimeoutMs: 100 }))
  const grandchild = Number(/grandchild (\d+)\./.exec(child.output())![1])

  expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' })

  await until('the grandchild’s end', () => processIdentity(grandchild) === null)
})

test('a record of an ended process is forgotten without touching who has its pid now', async () => {
  const child = await start(spec(LOOP))
  const file = join(folder, 'processes', 'sample.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...record, identity: 'another boot/1' }))

  expect(await stopOrphans(join(folder, 'processes'))).toEqual([])

  expect(child.exit()).toBeNull()
  expect(existsSync(file)).toBe(false)
})

test('orphans that need others are stopped before those', async () => {
  const slow = (name: string): string =>
    `process.on('SIGTERM', () => setTimeout(() => { require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'order'))}, '${name} '); process.exit() }, 50)); ${LOOP}`
  await start(spec(slow('database'), { name: 'database', stage: 'database' }))
  await start(spec(slow('service'), { name: 'service', stage: 'service' }))
  await start(spec(slow('log'), { name: 'log', stage: 'log' }))

  await stopOrphans(join(folder, 'processes'))

  expect(readFileSync(join(folder, 'order'), 'utf8')).toBe('service log database ')
})

test('a log that has grown too large is set aside at the next start', async () => {
  const first = await start(spec(LOOP))
  await first.stop()
  const log = join(folder, 'logs', 'sample.log')
  writeFileSync(log, Buffer.alloc(MAX_LOG_BYTES, 'x'))

  const second = await start(spec(LOOP))

  expect(statSync(`${log}.1`).size).toBe(MAX_LOG_BYTES)
  expect(second.output()).toBe('up\n')
})

test('a supervised child that dies is started again, and the reason is told', async () => {
  const ended: string[] = []
  let starts = 1
  const supervised = supervise(await start(spec(LOOP)), {
    name: 'sample',
    start: async () => {
      starts += 1
      return await start(spec(LOOP))
    },
    onEnded: ({ reason }) => ended.push(reason),
    onRestarted: () => undefined,
  })
  const first = supervised.child()!.pid
  process.kill(first, 'SIGKILL')

  const second = await until('another child', () => {
    const pid = supervised.child()?.pid
    return pid !== undefined && pid !== first && pid
  })
  await supervised.stop()

  expect(ended).toEqual(['signal SIGKILL'])
  expect(processIdentity(second)).toBeNull()
  expect(starts).toBe(2)
})

test.each([
  [
    'the last error of its log',
    `console.log('{"level":50,"msg":"Start failed","err":{"message":"no database"}}'); console.log('{"level":30,"msg":"Bye"}')`,
    'exit code 7: Start failed: no database',
  ],
  [
    'its last line, where that is not a log',
    `console.log('up'); console.log('Bad setting.')`,
    'exit code 7: Bad setting.',
  ],
  ['only its exit code, if it said nothing', '', 'exit code 7'],
])('the reason of an end is %s', async (_, script, reason) => {
  const child = startChild(spec('', { args: ['-e', `${script}; process.exitCode = 7`] }))

  expect(describeExit(await child.exited, child)).toBe(reason)
})

test('a program that does not exist is refused in one sentence', () => {
  expect(() => startChild(spec('', { command: join(folder, 'nowhere') }))).toThrow(
    /sample could not be started/,
  )
})
