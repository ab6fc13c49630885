// Runs docker-compose.yml for tests as a person does: in a clone, with a file .env, as a separate project with its own ports.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { buildImage, docker } from './docker.mjs'
import { commandsBelow, follow } from './page.mjs'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
/** Below the limit of a test (vitest.config.ts), so that a failure names its condition. */
const SERVED_LIMIT_MS = 600_000
const POLL_MS = 500
/** Other tests take their ports from 20000 on. */
const [FIRST_PORT, LAST_PORT] = [10_000, 20_000]
export const SERVICES = [
  'api',
  'scorer',
  'projector',
  'bulk-coordinator',
  'webhook-dispatcher',
  'label-refresher',
  'web',
]
const PAGE = 'docs/containers.md'
/** URL of the API unless .env says otherwise, as the page has it. */
const USUAL_API = 'http://127.0.0.1:8080'
/** Network ranges of an engine: the webhook receivers of tests are in them. */
const PRIVATE_RANGES = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16'

/**
 * Makes the clone and builds nothing with compose itself. The engine's cache has all that `docker compose build` needs from the network.
 * @param {{ project: string, edgePrefix?: string }} options Compositions that run at the same time have different names and
 *   networks.
 */
export async function openComposition({ project, edgePrefix }) {
  for (const target of [...SERVICES, 'cupel']) await buildImage(target)
  const settings = await settingsOf(project, edgePrefix)
  const folder = freshClone()
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`)
  const run = async (command, ...args) =>
    (await promisify(execFile)(command, args, { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES })).stdout
  const compose = (...args) => run('docker', 'compose', ...args)
  const base = settings.CUPEL_BASE_URL
  return {
    ...{ base, settings, compose },
    up: (...services) => compose('up', '--detach', '--no-build', '--wait', ...services),
    /** Runs the commands of the page below a heading, word for word except the port. Retries a screen until it is answered. */
    followPage: (section) =>
      follow(commandsBelow(PAGE, section), (command) => {
        const text = command.replaceAll(USUAL_API, base)
        const isCall = text.startsWith('curl ')
        return isCall
          ? untilServed(async () => reportOf(await run('bash', '-c', text)))
          : run('bash', '-c', text)
      }),
    containerOf: (service) => `${project}-${service}-1`,
    /** Address of this machine as the containers of a network see it. */
    async gatewayOf(network) {
      const [{ IPAM }] = JSON.parse(await docker('network', 'inspect', `${project}_${network}`))
      return IPAM.Config[0].Gateway
    },
    async close() {
      await compose('--profile', '*', 'down', '--volumes', '--timeout', '10')
      const images = await docker('images', '--quiet', '--filter', `reference=${project}/*`)
      if (images !== '') await docker('image', 'rm', '--force', ...new Set(images.trim().split('\n')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Settings for .env: the images at hand, and unused names and ports. */
async function settingsOf(project, edgePrefix) {
  const [port, webPort, prometheusPort] = [await freePort(), await freePort(), await freePort()]
  return {
    COMPOSE_PROJECT_NAME: project,
    CUPEL_IMAGES: project,
    CUPEL_VERSION: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    NODE_IMAGE: process.env.NODE_IMAGE ?? (await standIn('node', {})),
    KAFKA_IMAGE: await standIn('kafka', {}),
    POSTGRES_IMAGE: await standIn('postgres', {}),
    REGISTRY_IMAGE: await standIn('registry', {}),
    PROMETHEUS_IMAGE: await standIn('prometheus', {}),
    ...{ CUPEL_PORT: port, CUPEL_WEB_PORT: webPort, PROMETHEUS_PORT: prometheusPort },
    CUPEL_BASE_URL: `http://127.0.0.1:${port}`,
    CUPEL_WEB_URL: `http://127.0.0.1:${webPort}`,
    ...(edgePrefix === undefined
      ? {}
      : { CUPEL_EDGE_PREFIX: edgePrefix, CUPEL_EDGE_SUBNET: `${edgePrefix}.0/24` }),
    CUPEL_WEBHOOK_ALLOW: PRIVATE_RANGES,
  }
}

/** Names in .gitignore and others that are not part of a checkout. They are listed here: a checkout from an archive has no git. */
const NOT_CLONED = [
  '.git',
  'node_modules',
  'dist',
  '.cache',
  '.cupel',
  'coverage',
  'bench-results',
  '__pycache__',
]

/** Copies this checkout like a clone, with uncommitted changes: nothing is installed or built. Returns the folder of the copy. */
export function freshClone() {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-clone-'))
  cpSync(root, folder, { recursive: true, filter: (path) => !NOT_CLONED.includes(basename(path)) })
  return folder
}

/** Returns the text of a report; throws if it is not a report. */
function reportOf(text) {
  if (JSON.parse(text).risk === undefined) throw new Error(`No report: ${text}`)
  return text
}

/** The state of a container, as an operator sees it. */
export async function stateOf(container) {
  const [{ State, RestartCount }] = JSON.parse(await docker('inspect', container))
  return {
    isRunning: State.Running,
    health: State.Health?.Status ?? null,
    /** Output of the last check. */
    said: State.Health?.Log?.at(-1)?.Output ?? '',
    restarts: RestartCount,
    pid: State.Pid,
  }
}

/** Measures the time from the start of a container until its service works, by its log, and the memory that its processes hold now. */
export async function measured(container) {
  const [{ State, HostConfig }] = JSON.parse(await docker('inspect', container))
  const { stdout, stderr } = await promisify(execFile)('docker', ['logs', container], {
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('{'))
  const started = lines.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'Started')
  const startedMs = Date.parse(started?.time) - Date.parse(State.StartedAt)
  const used = await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', container)
  const [, amount, unit] = /^([\d.]+)(KiB|MiB|GiB)/.exec(used) ?? []
  const memoryBytes = Number(amount) * 1_024 ** (['KiB', 'MiB', 'GiB'].indexOf(unit) + 1)
  const line = `${container}: ${(startedMs / 1_000).toFixed(1)} s, ${Math.round(memoryBytes / 1_024 ** 2)} MiB`
  return { line, startedMs, memoryBytes, limitBytes: HostConfig.Memory }
}

/** Kills as the kernel does. `docker kill` would count as the wish of an operator, and docker would not restart the container. */
export async function killInside(container) {
  const { pid } = await stateOf(container)
  await docker(
    ...[
      'run',
      '--rm',
      '--pid',
      'host',
      '--user',
      '0',
      '--network',
      'none',
      '--cap-drop',
      'ALL',
      '--cap-add',
      'KILL',
    ],
    ...[
      '--entrypoint',
      '/usr/local/bin/node',
      'cupel-test/cupel:test',
      '-e',
      `process.kill(${pid}, 'SIGKILL')`,
    ],
  )
}

/** Calls `look` until it no longer throws. Several brokers may start on two processors at once; only a hang exceeds the limit. */
export async function untilServed(look) {
  const giveUpAt = performance.now() + SERVED_LIMIT_MS
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
    }
    await pause(POLL_MS)
  }
}

/** Returns a port below those that systems give to outgoing connections, because minutes pass until a container listens. */
async function freePort() {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    const server = createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
