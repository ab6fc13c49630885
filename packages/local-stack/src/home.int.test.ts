import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdHome, lastProfile, readRun, rememberProfile, type RunFile } from './index.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-home-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run: Omit<RunFile, 'pid' | 'identity' | 'command'> = {
  profile: 'embedded',
  state: 'ready',
  startedAt: '2026-11-21T09:00:00.000Z',
  databaseUrl: 'postgresql://cupel:secret@127.0.0.1:5432/cupel_embedded',
  brokers: [],
  registry: null,
  topicPrefix: '',
  baseUrls: ['http://127.0.0.1:8080'],
  services: [],
}

test('a second start on the same folder is refused with a sentence that names the first', async () => {
  const held = await holdHome(folder, 'cupel start')

  await expect(holdHome(folder, 'cupel start')).rejects.toMatchObject({
    code: 'home-in-use',
    message: expect.stringMatching(new RegExp(`\`cupel start\` \\(process ${process.pid}`)),
  })

  held.release()
  ;(await holdHome(folder, 'cupel start')).release()
})

test('a lock whose holder was killed is taken over', async () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(
    join(folder, 'lock'),
    JSON.stringify({
      pid: dead,
      identity: 'boot/1',
      command: 'cupel start',
      since: '2026-11-21T09:00:00.000Z',
    }),
  )

  ;(await holdHome(folder, 'cupel start')).release()
})

test('a lock whose pid belongs to another program by now is taken over', async () => {
  writeFileSync(
    join(folder, 'lock'),
    JSON.stringify({ pid: process.pid, identity: 'another boot/1', command: 'cupel start', since: '' }),
  )

  ;(await holdHome(folder, 'cupel start')).release()
})

test('of many that find a dead holder’s lock at the same moment exactly one gets the folder', async () => {
  writeFileSync(
    join(folder, 'lock'),
    '{"pid":1,"identity":"another boot/1","command":"cupel start","since":""}',
  )
  const contender = `
    const { holdHome } = await import('@cupel/local-stack')
    try { await holdHome(process.argv[1], 'contender'); console.log('held') }
    catch (error) { console.log(error.code) }
    process.stdin.resume()`
  const args = ['--conditions=cupel-source', '--import=tsx', '--input-type=module', '-e', contender, folder]
  const contenders = Array.from({ length: 6 }, () =>
    spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] }),
  )

  // Each contender prints its result. The one that has the folder keeps it until all have printed.
  const answers = await Promise.all(contenders.map(firstWords))
  for (const one of contenders) one.stdin.end()
  await Promise.all(contenders.map(async (one) => one.exitCode ?? (await once(one, 'exit'))))

  expect(answers.sort()).toEqual(['held', ...Array<string>(5).fill('home-in-use')].sort())
})

async function firstWords({ stdout }: { readonly stdout: Readable }): Promise<string> {
  const [chunk] = (await once(stdout, 'data')) as [Buffer]
  return chunk.toString().trim()
}

test('only its owner can read run.json, and it counts only while its writer runs', async () => {
  const held = await holdHome(folder, 'cupel start')
  held.writeRun(run)
  expect(readRun(folder)).toMatchObject({ ...run, pid: process.pid, command: 'cupel start' })
  expect(statSync(join(folder, 'run.json')).mode & 0o777).toBe(0o600)

  writeFileSync(
    join(folder, 'run.json'),
    JSON.stringify({ ...run, pid: process.pid, identity: 'another boot/1' }),
  )
  expect(readRun(folder)).toBeNull()

  held.release()
})

test('a folder that cannot be written is a missing permission, told in one sentence', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')

  await expect(holdHome(join(file, 'home'), 'cupel start')).rejects.toMatchObject({
    code: 'permission-denied',
    message: expect.stringMatching(/cannot be written \(ENOTDIR\): .*CUPEL_HOME/),
  })
})

test('the profile started last is remembered', () => {
  expect(lastProfile(folder)).toBeNull()
  rememberProfile(folder, 'kafka')
  expect(lastProfile(folder)).toBe('kafka')
})

test('a home that an earlier release left open is closed to others; a folder that is not a home keeps its mode', async () => {
  const other = mkdtempSync(join(tmpdir(), 'cupel-other-'))
  for (const each of [folder, other]) chmodSync(each, 0o755)
  rememberProfile(folder, 'kafka')
  mkdirSync(join(folder, 'postgres'))

  for (const each of [folder, other]) (await holdHome(each, 'cupel start')).release()

  // Under root, the database's user needs to pass through.
  expect(statSync(folder).mode & 0o066).toBe(0)
  expect(statSync(other).mode & 0o777).toBe(0o755)
  rmSync(other, { recursive: true })
})
