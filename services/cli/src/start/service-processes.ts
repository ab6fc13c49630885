/** The services of the Kafka profile in supervised processes, which are restarted when they end. */
import { randomBytes } from 'node:crypto'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cupel/contracts'
import {
  freePort,
  LocalStackError,
  requireFreePort,
  startChild,
  supervise,
  type Child,
  type HeldHome,
} from '@cupel/local-stack'
import type { Config, Shutdown } from '@cupel/kit/service'
import { checkout } from '@cupel/command-line'
import { connectionSettings, type Stack, probeReadiness } from '@cupel/command-line/installation'
import { webPortOf } from './web-port.js'
import { scalable, type ScalableService, type Scale } from './scale.js'

/** A service, or those that share a process. */
type Program = ScalableService | 'workers'

export interface ServiceProcess {
  /** `api-0`, `bulk-scorer-1`. */
  readonly name: string
  readonly service: Program
  readonly healthUrl: string
  /** Base URL for callers; null for a service without an API. */
  readonly baseUrl: string | null
  /** Address of the console; null for every other service. */
  readonly webUrl: string | null
}

export interface ServiceProcessesOptions {
  readonly home: HeldHome
  readonly stack: Stack
  readonly scale: Scale
  /** Whether the services that mostly rest share a process, if the scale has one of each. */
  readonly shares: boolean
  readonly config: Config
  readonly environment: Readonly<NodeJS.ProcessEnv>
  readonly logger: Logger
  readonly shutdown: Shutdown
  readonly note: (sentence: string) => void
}

/** The program of a service, with its settings. */
const programs: Record<
  Program,
  {
    /** Its file in `dist` of the checkout. */
    readonly program: string
    readonly settings: Record<string, string>
    /** Its niceness, 0 to 19; undefined for normal priority. */
    readonly niceness?: number
  }
> = {
  api: { program: 'api', settings: {} },
  scorer: { program: 'scorer', settings: { CUPEL_SCORER_LANE: 'interactive' } },
  // When cores are short, interactive screens have priority.
  'bulk-scorer': { program: 'scorer', settings: { CUPEL_SCORER_LANE: 'bulk' }, niceness: 10 },
  'bulk-coordinator': { program: 'bulk-coordinator', settings: {} },
  'webhook-dispatcher': { program: 'webhook-dispatcher', settings: {} },
  'label-refresher': { program: 'label-refresher', settings: {} },
  projector: { program: 'projector', settings: {} },
  web: { program: 'web', settings: {} },
  workers: { program: 'workers', settings: {} },
}

/** They mostly rest, and share what a process costs. */
const RESTING: readonly Program[] = ['bulk-coordinator', 'webhook-dispatcher', 'label-refresher', 'projector']

/** How many processes each program has. */
function processesOf({ scale, shares }: ServiceProcessesOptions): (readonly [Program, number])[] {
  const counts = scalable.map((service) => [service, scale[service]] as const)
  const isShared = shares && counts.every(([service, count]) => count === 1 || !RESTING.includes(service))
  return isShared ? [...counts.filter(([service]) => !RESTING.includes(service)), ['workers', 1]] : counts
}

/** Longer than the limit of the service itself, so that it can stop in order. */
const STOP_GRACE_MS = 5_000
const READY_TIMEOUT_MS = 120_000
const READY_POLL_MS = 150
/** A service that ends this often before it is ready for the first time is given up. */
const ENDS_BEFORE_READY = 3

/** Starts all services and resolves when each is ready. Rejects with LocalStackError `child-failed` or `port-taken`. */
export async function startServiceProcesses(options: ServiceProcessesOptions): Promise<ServiceProcess[]> {
  const planned = await plan(options)
  const failures = new Map<string, { ends: number; reason: string }>()
  const running = planned.map(({ process, environment }) => {
    const start = (): Child => startService(process, environment, options)
    return supervise(start(), {
      name: process.name,
      start: async () => start(),
      onEnded: ({ reason }) => {
        options.note(`${process.name} ended (${reason}); restarting it.`)
        options.logger.error({ service: process.name, reason }, 'A service ended unexpectedly')
        failures.set(process.name, { ends: (failures.get(process.name)?.ends ?? 0) + 1, reason })
      },
      onRestarted: () => options.note(`${process.name} runs again.`),
    })
  })
  // The phases run in reverse: first the console, then the API, so that accepted requests are still processed; then all workers at once.
  const isListener = (name: string): boolean => /^(?:api|web)-/.test(name)
  options.shutdown.phase('workers', () => stopAll((name) => !isListener(name)))
  options.shutdown.phase('api', () => stopAll((name) => name.startsWith('api-')))
  options.shutdown.phase('console', () => stopAll((name) => name.startsWith('web-')))
  await Promise.all(planned.map(({ process }) => ready(process, failures, options)))
  return planned.map(({ process }) => process)

  async function stopAll(chosen: (name: string) => boolean): Promise<void> {
    await Promise.all(running.filter(({ name }) => chosen(name)).map((service) => service.stop()))
  }
}

/** The services that seal or open personal data. The others handle it sealed. */
const READERS_OF_PERSONAL_DATA: readonly Program[] = ['api', 'webhook-dispatcher', 'workers']

interface Planned {
  readonly process: ServiceProcess
  readonly environment: Record<string, string>
}

async function plan(options: ServiceProcessesOptions): Promise<Planned[]> {
  const { config, stack } = options
  const planned: Planned[] = []
  const taken = new Set<number>()
  const listeners = await planListeners(options, taken)
  for (const [service, count] of processesOf(options)) {
    if (service === 'web' && !config.CUPEL_WEB) continue
    for (let instance = 0; instance < count; instance += 1) {
      const healthPort = await anotherPort(taken)
      planned.push({
        process: {
          name: `${service}-${instance}`,
          service,
          healthUrl: `http://${reachable(config.CUPEL_HOST)}:${healthPort}`,
          baseUrl: service === 'api' ? listeners.api[instance]!.url : null,
          webUrl: service === 'web' ? listeners.web[instance]!.url : null,
        },
        environment: {
          ...connectionSettings(stack.serviceDatabaseUrl, stack.kafka?.access),
          ...programs[service].settings,
          // The console does not read the log.
          ...(service === 'web' ? {} : { CUPEL_RECORD_KEYS_FILE: stack.recordKeysFile }),
          ...(READERS_OF_PERSONAL_DATA.includes(service)
            ? { CUPEL_PERSONAL_DATA_KEYS_FILE: stack.personalDataKeysFile }
            : {}),
          CUPEL_INSTANCE: String(instance),
          CUPEL_METRICS_PORT: String(healthPort),
          ...listenerSettings(service, instance, listeners, config),
        },
      })
    }
  }
  return planned
}

interface Listener {
  readonly port: number
  readonly url: string
}

/** The addresses of the API and the console, and the secret between them. */
interface Listeners {
  readonly api: readonly Listener[]
  readonly web: readonly Listener[]
  readonly secret: string
}

const SECRET_BYTES = 32

async function planListeners(
  { config, scale }: ServiceProcessesOptions,
  taken: Set<number>,
): Promise<Listeners> {
  const { CUPEL_HOST, CUPEL_WEB_HOST, CUPEL_PORT } = config
  const protocol = config.CUPEL_TLS_CERT_FILE === undefined ? 'http' : 'https'
  const listen = async (count: number, first: number, host: string, setting: string): Promise<Listener[]> => {
    const listeners: Listener[] = []
    for (let instance = 0; instance < count; instance += 1) {
      const port = first === 0 ? await anotherPort(taken) : first + instance
      if (first !== 0) await requireFreePort(port, host, setting)
      taken.add(port)
      listeners.push({ port, url: `${protocol}://${reachable(host)}:${port}` })
    }
    return listeners
  }
  const api = await listen(scale.api, CUPEL_PORT, CUPEL_HOST, 'CUPEL_PORT')
  const webPort = webPortOf(config, scale.api)
  const web = config.CUPEL_WEB ? await listen(scale.web, webPort, CUPEL_WEB_HOST, 'CUPEL_WEB_PORT') : []
  return { api, web, secret: randomBytes(SECRET_BYTES).toString('hex') }
}

/** Ports, the links between the services, and the links that they write: the configured address, else that of the first instance. */
function listenerSettings(
  service: Program,
  instance: number,
  { api, web, secret }: Listeners,
  config: Config,
): Record<string, string> {
  const withSecret =
    config.CUPEL_WEB_SECRET === undefined && config.CUPEL_WEB_SECRET_FILE === undefined
      ? { CUPEL_WEB_SECRET: secret }
      : {}
  const [firstApi, firstWeb] = [api[0]!.url, web[0]?.url]
  // Each instance adds its number to these ports.
  if (service === 'api')
    return {
      CUPEL_PORT: String(api[instance]!.port - instance),
      ...withSecret,
      ...(config.CUPEL_WEB_URL === undefined && firstWeb !== undefined ? { CUPEL_WEB_URL: firstWeb } : {}),
    }
  if (service === 'web')
    return {
      CUPEL_WEB_PORT: String(web[instance]!.port - instance),
      CUPEL_API_URL: config.CUPEL_API_URL ?? firstApi,
      ...withSecret,
    }
  const sendsWebhooks = service === 'webhook-dispatcher' || service === 'workers'
  return sendsWebhooks && config.CUPEL_BASE_URL === undefined ? { CUPEL_BASE_URL: firstApi } : {}
}

async function anotherPort(taken: Set<number>): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (taken.has(port)) continue
    taken.add(port)
    return port
  }
}

/** A wildcard address cannot be called; use the loopback address. */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * A service has 20 to 60 MB of live memory. With the memory of a whole machine V8 lets garbage grow to several times that before
 * it collects, so the old generation is limited. Below that limit V8 would collect several times a second, after every 8 MB of
 * growth including buffers; the heap may double instead (docs/performance.md).
 */
const NODE_FLAGS: readonly string[] = [
  '--enable-source-maps',
  '--max-old-space-size=384',
  '--heap-growing-percent=100',
]

function startService(
  { name, service }: ServiceProcess,
  settings: Record<string, string>,
  options: ServiceProcessesOptions,
): Child {
  const child = startChild({
    name,
    command: process.execPath,
    args: [...NODE_FLAGS, join(checkout, 'dist', `${programs[service].program}.js`)],
    cwd: checkout,
    env: { ...options.environment, CUPEL_HOME: options.home.folder, ...settings },
    logFile: options.home.logFile('kafka', name),
    recordFolder: options.home.processFolder,
    stage: 'service',
    stopSignal: 'SIGTERM',
    stopTimeoutMs: options.config.CUPEL_SHUTDOWN_TIMEOUT_MS + STOP_GRACE_MS,
  })
  const { niceness } = programs[service]
  if (niceness !== undefined) standBack(child, niceness, options.logger)
  return child
}

function standBack({ name, pid }: Child, niceness: number, logger: Logger): void {
  try {
    setPriority(pid, niceness)
  } catch (error) {
    // The process has ended, or the system refuses. The service also works at normal priority.
    logger.warn({ err: error, service: name }, 'Cannot lower the priority of a service')
  }
}

async function ready(
  { name, healthUrl }: ServiceProcess,
  failures: ReadonlyMap<string, { ends: number; reason: string }>,
  options: ServiceProcessesOptions,
): Promise<void> {
  const giveUpAt = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    const state = await probeReadiness(healthUrl)
    if (state.isWorking) return
    const failure = failures.get(name)
    const logFile = options.home.logFile('kafka', name)
    if (failure !== undefined && failure.ends >= ENDS_BEFORE_READY)
      throw new LocalStackError(
        'child-failed',
        `${name} cannot run: ${failure.reason}. Its log is ${logFile}.`,
      )
    if (Date.now() > giveUpAt)
      throw new LocalStackError(
        'child-failed',
        `${name} was not ready after ${READY_TIMEOUT_MS / 1000} s (${state.detail}). Its log is ${logFile}.`,
      )
    await sleep(READY_POLL_MS)
  }
}
