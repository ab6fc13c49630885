/** `cupel … | head`: the reader closes the pipe when it has read enough. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createAccount } from '@cupel/gate/access'
import { startOutboxRelay } from '@cupel/projections'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from './command-line.js'
import { checkout } from '@cupel/command-line'

/** Far more text than a pipe holds. */
const ACCOUNTS = 1_500

let commandLine: CommandLine
beforeAll(async () => {
  commandLine = await openCommandLine()
  const relay = startOutboxRelay(commandLine.deps)
  const by = 'x'.repeat(400)
  for (let made = 0; made < ACCOUNTS; made += 1)
    await createAccount(commandLine.database, { name: `Account ${made}`, by })
  await until(async () =>
    expect(await commandLine.records('access.account.events.v1')).toHaveLength(ACCOUNTS),
  )
  await relay.stop()
})
afterAll(() => commandLine.close())

/** Reads `bytes` of the command's answer and closes the pipe. */
async function readOnly(bytes: number, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['services/cli/dist/main.js', ...args], {
    cwd: checkout,
    env: { ...process.env, ...commandLine.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  child.stderr.on('data', (text) => said.push(String(text)))
  const ended = once(child, 'close')
  if (bytes > 0) await once(child.stdout, 'data')
  child.stdout.destroy()
  const [exitCode] = (await ended) as [number | null]
  return { exitCode, said: said.join('') }
}

test('an export whose reader leaves ends quietly, as a command that SIGPIPE ended', async () => {
  expect(await readOnly(1, 'audit', 'export')).toEqual({ exitCode: 141, said: '' })
})

test('a short answer that nobody reads is not a failure', async () => {
  for (const args of [['--help'], ['accounts', 'list']])
    expect(await readOnly(0, ...args)).toEqual({ exitCode: 0, said: '' })
})

async function read(...args: readonly string[]) {
  const child = spawn(process.execPath, ['services/cli/dist/main.js', ...args], {
    cwd: checkout,
    env: { ...process.env, ...commandLine.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, said]: [string[], string[]] = [[], []]
  child.stdout.on('data', (text) => out.push(String(text)))
  child.stderr.on('data', (text) => said.push(String(text)))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, out: out.join(''), said: said.join('') }
}

test('with --json an error is a JSON document too, whoever finds it', async () => {
  const order = ['--account', 'acc_none', '--scope', 'read-only', '--plan', 'pro']
  const [unknown, misspelt, late] = await Promise.all([
    read('keys', 'create', ...order, '--json'),
    read('keys', 'list', '--jsn', '--json'),
    read('keys', 'create', ...order, '--expires', '2020-01-01', '--json'),
  ])
  expect(unknown.exitCode).toBe(3)
  expect(JSON.parse(unknown.out)).toEqual({ error: { message: unknown.said.trim(), exit_code: 3 } })
  expect(misspelt.exitCode).toBe(2)
  expect(JSON.parse(misspelt.out)).toMatchObject({
    error: { message: expect.stringContaining('--jsn') as string, exit_code: 2 },
  })
  expect(late.exitCode).toBe(2)
  expect(JSON.parse(late.out)).toMatchObject({
    error: { message: expect.stringContaining('It is in the past') as string },
  })
})
