/**
 * The package of the command line as a user runs it: the tarball in an empty folder, `npx`, and an installation that is known by its address
 * and a key.
 */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, cupel, start, type Started } from './started.js'

const SCRIPT = fileURLToPath(new URL('../../../scripts/release-cli.mjs', import.meta.url))
const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

let home: string
let folder: string
let tarball: string
let installation: Started
let environment: Record<string, string>
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cupel-cli-home-'))
  chmodSync(home, 0o711)
  folder = mkdtempSync(join(tmpdir(), 'cupel-cli-user-'))
  installation = start({ home })
  const { base_url: url, keys } = await installation.ready
  // npx takes the path of a package only where it begins with a dot.
  tarball = `./${basename((await ended(process.execPath, [SCRIPT, folder], {})).stdout.trim())}`
  environment = { CUPEL_BASE_URL: `${url}/`, CUPEL_API_KEY: keys.read_write }
})
afterAll(async () => {
  await cleanUp(home, [installation])
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program in the folder of the user, with no setting of the checkout. */
function started(command: string, args: readonly string[], settings: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env
  const path = [dirname(process.execPath), PATH].join(delimiter)
  const env = { PATH: path, HOME, npm_config_cache: join(folder, 'npm'), ...settings }
  const child = spawn(command, args, {
    ...{ cwd: folder, env },
    // A Ctrl-C reaches the whole group, as in a shell.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => (said[name] += chunk.toString()))
  return { child, said }
}

async function ended(...from: Parameters<typeof started>): Promise<Ended> {
  const { child, said } = started(...from)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...said }
}

const npx = (args: readonly string[], settings = environment): Promise<Ended> =>
  ended('npx', ['--yes', tarball, ...args], settings)

async function answered<Answer>(...args: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await npx([...args, '--json'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Answer
}

test('without an address or a key it says what to set, with --json as JSON', async () => {
  const { CUPEL_BASE_URL } = environment as { CUPEL_BASE_URL: string }
  expect(await npx(['screen', ADDRESS], {})).toMatchObject({
    ...{ code: 2, stdout: '', stderr: expect.stringContaining('Set CUPEL_BASE_URL') as string },
  })
  const { code, stdout } = await npx(['screen', ADDRESS, '--json'], { CUPEL_BASE_URL })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { exit_code: 2 } })
  const other = { ...environment, CUPEL_BASE_URL: 'ftp://cupel.example.com' }
  expect((await npx(['screen', ADDRESS], other)).stderr).toContain('not an http or https URL')
})

test('it screens, proves the report offline, and refuses a changed one and a PDF that it cannot compare', async () => {
  const { report_id: id } = await answered<{ report_id: string }>('screen', ADDRESS)
  expect((await npx(['screen', ADDRESS])).stdout).toContain('RED')
  await until(() => answered('report', 'proof', id, '-o', 'report.proof', '--report', 'report.json'))
  const { stdout: keys } = await cupel({ home }, 'log', 'signing-keys')
  writeFileSync(join(folder, 'keys.txt'), keys)
  const verify = ['verify', 'report.json', 'report.proof', '--key', 'keys.txt']
  expect(await answered(...verify)).toMatchObject({ is_proven: true })
  const report = readFileSync(join(folder, 'report.json'), 'utf8')
  writeFileSync(join(folder, 'report.json'), report.replace('"red"', '"green"'))
  expect(await npx(verify)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Not proven') as string,
  })
  await answered('report', 'pdf', id, '-o', 'report.pdf')
  const pdf = await npx(['verify', 'report.pdf', 'report.proof', '--key', 'keys.txt'])
  expect(pdf).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Nothing was checked') as string,
  })
})

test('it writes and decides cases, and watches addresses', async () => {
  const { report_id: id } = await answered<{ report_id: string }>('screen', ADDRESS)
  await answered('cases', 'note', id, 'Seen by a user.')
  expect(JSON.stringify(await answered('cases', 'show', id))).toContain('Seen by a user.')
  const { items } = await answered<{ items: { watch_id: string }[] }>('watches', 'add', ADDRESS)
  const watch = items[0]!.watch_id
  expect(JSON.stringify(await answered('watches'))).toContain(watch)
  expect((await npx(['watches', 'remove', watch])).stdout).toContain(`Watch ${watch} has ended.`)
})

test('it forwards the end of a job that it submitted to a local program, signed', async () => {
  const came: { headers: IncomingHttpHeaders; body: string }[] = []
  const program = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      came.push({ headers: request.headers, body })
      response.writeHead(204).end()
    })
  })
  await once(program.listen(0, '127.0.0.1'), 'listening')
  const hook = `http://127.0.0.1:${(program.address() as AddressInfo).port}/hook`
  const listening = started('npx', ['--yes', tarball, 'listen', '--forward-to', hook], environment)
  try {
    const secret = await until(() => {
      expect(listening.said.stdout).toMatch(/whsec_\S+/)
      return /whsec_(\S+)/.exec(listening.said.stdout)![1]!
    })
    writeFileSync(join(folder, 'addresses.csv'), `name,address\nA,${ADDRESS}\n`)
    const job = await answered<{ job_id: string; status: string }>(
      'bulk',
      'submit',
      'addresses.csv',
      '--wait',
    )
    expect(job.status).toBe('completed')
    await until(() => expect(came).toHaveLength(1))
    const { headers, body } = came[0]!
    expect(JSON.parse(body)).toMatchObject({ type: 'bulk.completed', data: { job_id: job.job_id } })
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  } finally {
    const closed = once(listening.child, 'close')
    process.kill(-listening.child.pid!, 'SIGINT')
    await closed
    program.close()
  }
})

test('its completion knows its own commands, and no command of an operator', async () => {
  const { stdout } = await npx(['completion', 'bash'])
  const line = `${stdout}\nCOMP_WORDS=(cupel ''); COMP_CWORD=1; _cupel; printf '%s\\n' "\${COMPREPLY[@]}"`
  const words = (await ended('bash', ['-c', line], {})).stdout.split('\n')
  expect(words).toEqual(expect.arrayContaining(['screen', 'bulk', 'watches', 'cases', 'listen', 'verify']))
  expect(words).not.toContain('restore')
})
