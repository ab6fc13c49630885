/** The services of an installation on a cluster, as processes: each is replaced while the others answer. */
import { join } from 'node:path'
import { freePort, startChild, type Child } from '@cupel/local-stack'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import { checkout } from './started.js'

/** Readers of the log come before its writers. */
export const SERVED = ['projector', 'scorer', 'bulk-coordinator', 'webhook-dispatcher', 'api'] as const
export type Served = (typeof SERVED)[number]

export interface ServiceProcesses {
  /** Address of the API in service. */
  apiUrl(): string
  /** Starts one of each service, the projector first, and resolves when all are ready. */
  startAll(): Promise<void>
  stopAll(): Promise<void>
  /** Returns the services whose process in service has ended. */
  ended(): readonly Served[]
  /** Starts a process beside the one in service, and resolves when it is ready or has ended. */
  start(service: Served): Promise<Started>
  /** Starts a new process before it stops the one in service, which must end in good order. Calls `between` when both run. */
  replace(service: Served, between?: (before: Started, after: Started) => Promise<void>): Promise<void>
}

export interface Started {
  readonly child: Child
  readonly baseUrl: string
}

/** The limit is generous, because the test does not measure a slow machine. */
const STOP_MS = 120_000

/** Calls `settings` at each start. */
export function serviceProcesses(folder: string, settings: () => Record<string, string>): ServiceProcesses {
  const running = new Map<Served, Started>()
  const children: Child[] = []
  let started = 0

  async function start(service: Served): Promise<Started> {
    const [port, metricsPort] = [await freePort(), await freePort()]
    const instance = String((started += 1) % 2)
    const child = startChild({
      name: `${service}-${started}`,
      command: process.execPath,
      args: [join(checkout, 'dist', `${service}.js`)],
      cwd: checkout,
      env: {
        ...settings(),
        CUPEL_INSTANCE: instance,
        CUPEL_PORT: String(port - Number(instance)),
        CUPEL_METRICS_PORT: String(metricsPort),
        CUPEL_SHUTDOWN_TIMEOUT_MS: String(STOP_MS),
      },
      logFile: join(folder, `${service}.log`),
      recordFolder: join(folder, 'processes'),
      stage: 'service',
      stopSignal: 'SIGTERM',
      stopTimeoutMs: STOP_MS,
    })
    children.push(child)
    await until(async () => {
      if (child.exit() !== null) return
      expect((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status, child.output()).toBe(200)
    })
    return { child, baseUrl: `http://127.0.0.1:${port}` }
  }

  async function startReady(service: Served): Promise<Started> {
    const one = await start(service)
    expect(one.child.exit(), one.child.output()).toBeNull()
    running.set(service, one)
    return one
  }

  return {
    start,
    apiUrl: () => running.get('api')!.baseUrl,
    async startAll() {
      for (const service of SERVED) await startReady(service)
    },
    async stopAll() {
      await Promise.all(children.map((child) => child.stop()))
      running.clear()
    },
    ended: () => SERVED.filter((service) => running.get(service)?.child.exit() !== null),
    async replace(service, between) {
      const before = running.get(service)!
      const after = await startReady(service)
      await between?.(before, after)
      expect(await before.child.stop()).toMatchObject({ code: 0 })
    },
  }
}
