// docker-compose.yml for tests: a project of its own, on ports of its own, with the images of this checkout.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { buildImage, docker } from './docker.mjs'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
/** Below the limit of a test (vitest.config.ts), so that a failure names its condition. */
const SERVED_LIMIT_MS = 600_000
const POLL_MS = 500
/** Other tests take theirs from 20000 on. */
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
/** Ranges of the networks of an engine: receivers of webhooks in tests are there. */
const PRIVATE_RANGES = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16'

/**
 * @param {{ project: string, edgeSubnet?: string }} options Compositions that run at the same time have different names and
 *   networks.
 */
export async function openComposition({ project, edgeSubnet }) {
  for (const target of [...SERVICES, 'cupel']) await buildImage(target)
  const images = {
    KAFKA_IMAGE: await standIn('kafka', {}),
    POSTGRES_IMAGE: await standIn('postgres', {}),
    REGISTRY_IMAGE: await standIn('registry', {}),
    PROMETHEUS_IMAGE: await standIn('prometheus', {}),
  }
  const [port, webPort, prometheusPort] = [await freePort(), await freePort(), await freePort()]
  const base = `http://127.0.0.1:${port}`
  const environment = {
    ...{ CUPEL_IMAGES: 'cupel-test', CUPEL_VERSION: 'test', ...images },
    ...{ CUPEL_PORT: String(port), CUPEL_WEB_PORT: String(webPort) },
    ...{ CUPEL_BASE_URL: base, CUPEL_WEB_URL: `http://127.0.0.1:${webPort}` },
    ...(edgeSubnet === undefined ? {} : { CUPEL_EDGE_SUBNET: edgeSubnet }),
    ...{ PROMETHEUS_PORT: String(prometheusPort), CUPEL_WEBHOOK_ALLOW: PRIVATE_RANGES },
  }
  const compose = async (...args) => {
    const call = promisify(execFile)('docker', ['compose', '--project-name', project, ...args], {
      cwd: root,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...process.env, ...environment },
    })
    return (await call).stdout
  }
  return {
    ...{ base, environment, compose },
    up: (...services) => compose('up', '--detach', '--no-build', '--wait', ...services),
    cupel: (...args) => compose('run', '--rm', '--no-deps', 'cupel', ...args),
    containerOf: (service) => `${project}-${service}-1`,
    /** Address of this machine as the containers of a network see it. */
    async gatewayOf(network) {
      const [{ IPAM }] = JSON.parse(await docker('network', 'inspect', `${project}_${network}`))
      return IPAM.Config[0].Gateway
    },
    close: () => compose('--profile', '*', 'down', '--volumes', '--timeout', '10'),
  }
}

/** What an operator sees of a container. */
export async function stateOf(container) {
  const [{ State, RestartCount }] = JSON.parse(await docker('inspect', container))
  return {
    isRunning: State.Running,
    health: State.Health?.Status ?? null,
    restarts: RestartCount,
    pid: State.Pid,
  }
}

/** As when the kernel kills a process: `docker kill` would count as the wish of an operator, after which nothing is restarted. */
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

/** Calls `look` until it no longer throws. Only a hang takes longer: several brokers may begin on two processors at once. */
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

/** Below the ports that systems give to outgoing connections: minutes pass until a container listens. */
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
