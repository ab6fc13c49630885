/** haproxy in front of several instances, as operators set it up: it checks the readiness of each one, and distributes the calls. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proxyEnvironment, proxyIsInstalled, proxyPort } from './attacks/proxies.js'
import { until } from './until.js'

export interface Instance {
  /** Base address of the calls. */
  readonly url: string
  /** Address of `/readyz`. */
  readonly healthUrl: string
}

export interface Balancer {
  readonly baseUrl: string
  /** Resolves when calls are distributed among all instances. */
  untilComplete(): Promise<void>
  stop(): Promise<void>
}

/** Only a hang takes longer. */
const COMPLETE_TIMEOUT_MS = 120_000

export const isBalancerInstalled = (): boolean => proxyIsInstalled('haproxy')

export async function startBalancer(instances: readonly Instance[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-balancer-'))
  const [port, statePort] = [await proxyPort(), await proxyPort()]
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration({ port, statePort, instances }))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore', env: proxyEnvironment() })
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    untilComplete: () =>
      until('every instance behind the balancer', COMPLETE_TIMEOUT_MS, async () => {
        const table = await (await fetch(`http://127.0.0.1:${statePort}/;csv`)).text()
        const states = [...table.matchAll(/^cupel,instance-.*$/gm)].map(([row]) => row.split(',')[STATUS])
        return states.length === instances.length && states.every((state) => state === 'UP')
      }).then(() => undefined),
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Column of the state of a server in haproxy's table. */
const STATUS = 17

function configuration(order: { port: number; statePort: number; instances: readonly Instance[] }): string {
  const servers = order.instances.map(
    ({ url, healthUrl }, index) =>
      `  server instance-${index} ${new URL(url).host} check addr 127.0.0.1 port ${new URL(healthUrl).port}`,
  )
  return `defaults
  mode http
  timeout connect 30s
  timeout check 30s
  timeout client 120s
  timeout server 120s
  timeout queue 30s
  option redispatch
frontend callers
  bind 127.0.0.1:${order.port}
  default_backend cupel
frontend state
  bind 127.0.0.1:${order.statePort}
  stats enable
  stats uri /
backend cupel
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 250ms fall 2 rise 1
${servers.join('\n')}
`
}
