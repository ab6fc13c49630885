/**
 * The service keeps to its description: Schemathesis generates valid and invalid calls from it and checks
 * every answer. Each round has its own seed.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { casesWithin, drawnWithin, isLongRun, noteSkip, runSeed, until } from '@cupel/testkit'
import { readCheckpoint } from '@cupel/evidence/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

const VERSION = '4.32.5'
/** Rounds for each number of instances if there is no time budget: thousands of calls. */
const FULL_ROUNDS = 12
/** Examples per operation and round. In a long run the other phases bring a round to a thousand cases or more. */
const EXAMPLES_PER_ROUND = isLongRun() ? 30 : 10
const SETUP_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 1_800_000

/** In stateful calls each call builds on an earlier one. Coverage and stateful calls take minutes each. */
const slowPhases = drawnWithin({ name: 'Schemathesis, slow phases', minimum: 0 }, ['coverage', 'stateful'])

/** Examples and coverage make the same calls for any seed and number of instances, so only the first round makes them. */
function phasesOf(isFirst: boolean): readonly string[] {
  const phases = ['examples', 'fuzzing', ...slowPhases]
  return isFirst ? phases : phases.filter((phase) => !['examples', 'coverage'].includes(phase))
}

const cache = fileURLToPath(new URL(`../../../.cache/schemathesis-${VERSION}`, import.meta.url))
const executable = join(cache, 'bin', 'schemathesis')
const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
const setupFault = await setUpSchemathesis()
if (setupFault !== null) noteSkip(`Schemathesis ${VERSION} cannot be set up: ${setupFault}`)

let installation: Installation
const keys: string[] = []
beforeAll(async () => {
  installation = await startInstallation()
  const { key, accountId } = await installation.key({ plan: 'enterprise' })
  keys.push(key, (await installation.key({ accountId, plan: 'enterprise', environment: 'test' })).key)
  // Without a checkpoint of the transparency log, its endpoint is always unavailable.
  installation.prove()
  const { database, log } = installation
  await until(async () => expect(await readCheckpoint(database, await log.identity())).not.toBeNull())
}, SETUP_TIMEOUT_MS)
afterAll(() => installation.stop())

/** Summary of a run in its report. */
interface RunReport {
  readonly complete: boolean
  readonly operations: { readonly total: number; readonly tested: number }
  readonly phases: Readonly<Record<string, { readonly status: string }>>
  readonly test_cases: {
    readonly generated: number
    readonly with_failures: number
    readonly errored: number
  }
  readonly failures: readonly unknown[]
  readonly errors: readonly unknown[]
}

test.skipIf(setupFault !== null)(
  'every answer of one instance, and of two behind a balancer, is one the description names',
  async () => {
    // Run them at once: each mostly waits for the other side. Workers of one run would not be independent of each other.
    const seed = runSeed()
    const numbers = drawnWithin({ name: 'Schemathesis, numbers of instances', minimum: 1 }, [1, 2], seed)
    const made = await Promise.all(
      numbers.map((instances) => runAgainst(instances, seed, instances === numbers[0])),
    )
    process.stdout.write(`Schemathesis: ${made.join(' + ')} calls\n`)
  },
  RUN_TIMEOUT_MS,
)

/** Runs rounds with a seed each; returns the number of calls that Schemathesis reports. */
async function runAgainst(instances: number, firstSeed: number, isFirst: boolean): Promise<number> {
  const urls = []
  for (let index = 0; index < instances; index += 1)
    urls.push((await installation.api({ config: { CUPEL_INSTANCE: instances * 2 + index } })).url)
  const front = await startFront(urls)
  try {
    let made = 0
    const suite = { name: `Schemathesis rounds, ${instances} instance(s)`, full: FULL_ROUNDS, minimum: 1 }
    for (const round of casesWithin(suite, firstSeed)) {
      // Rounds alternate between live and sandbox; each seed is used once.
      const seed = firstSeed + 2 * round + instances - 1
      const phases = phasesOf(isFirst && round === 0)
      const where = `${instances} instance(s)`
      made += await runRound(front.url, keys[round % keys.length]!, { seed, phases, where })
    }
    return made
  } finally {
    await front.close()
  }
}

async function runRound(
  url: string,
  key: string,
  {
    seed,
    phases,
    where,
  }: { readonly seed: number; readonly phases: readonly string[]; readonly where: string },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-schemathesis-'))
  const reportFile = join(folder, 'report.json')
  const options = [
    ...['--checks', 'all', '--phases', phases.join(','), '--seed', String(seed)],
    ...['--max-examples', String(EXAMPLES_PER_ROUND)],
    // The speed of generating cases depends on the machine, not on the description.
    '--suppress-health-check=too_slow',
    ...['--header', `Authorization: Bearer ${key}`, '--report', 'json', '--report-json-path', reportFile],
  ]
  try {
    const result = await run(
      executable,
      ['--config-file', config, 'run', `${url}/openapi.json`, ...options],
      folder,
    )
    expect(result.code, `seed ${seed}, ${where}\n${result.output}`).toBe(0)
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as RunReport
    expect(report).toMatchObject({ complete: true, failures: [], errors: [] })
    expect(report.operations.tested).toBe(report.operations.total)
    for (const phase of phases) expect(report.phases[phase]?.status, phase).toBe('success')
    expect(report.test_cases).toMatchObject({ with_failures: 0, errored: 0 })
    expect(report.test_cases.generated, 'a round makes cases').toBeGreaterThan(EXAMPLES_PER_ROUND)
    return report.test_cases.generated
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends each new connection to the next instance, like a load balancer. */
async function startFront(urls: readonly string[]): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[turn++ % urls.length]!)
    const upstream = connect(Number(port), hostname)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    client.on('error', end).on('close', end).pipe(upstream).on('error', end).on('close', end).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Installs Schemathesis once into .cache; returns the reason of a failure, or null. */
async function setUpSchemathesis(): Promise<string | null> {
  if (existsSync(executable)) return null
  const created = await run('python3', ['-m', 'venv', cache], '.')
  if (created.code !== 0) return created.output
  const pip = [`--disable-pip-version-check`, '--quiet', 'install', `schemathesis==${VERSION}`]
  const installed = await run(join(cache, 'bin', 'pip'), pip, '.')
  if (installed.code === 0) return null
  rmSync(cache, { recursive: true, force: true })
  return installed.output
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
