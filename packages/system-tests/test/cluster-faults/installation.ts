/**
 * The installation under test: Postgres, a registry and three brokers, each behind a relay. `cupel install` installs it. Every service
 * runs twice, each time as a separate process.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, writeFile, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import {
  ensureKafkaPrograms,
  freePort,
  startChild,
  startPostgres,
  startRegistry,
  type Child,
  type KafkaJars,
  type RunningPostgres,
} from '@cupel/local-stack'
import { cupel, type CommandResult } from '../../src/command.js'
import { checkout } from '../../src/installation.js'
import { mountSmallVolume, whyNoSmallVolume, type SmallVolume } from '../../src/small-volume.js'
import { until } from '../../src/until.js'
import { callerAt } from './callers.js'
import { createAuthority, type Authority } from './certificates.js'
import { SCRAM_USER, startCluster, type Cluster } from './cluster.js'
import { pidsOf, superviseMember, type Member } from './member.js'
import { startRelay, type Certificate, type Relay, type RelayOptions } from './relay.js'

export interface Dependency extends Member {
  readonly relay: Relay
  /** Bypasses the relay. */
  readonly port: number
  readonly volume: SmallVolume | null
}

export interface Installation {
  readonly folder: string
  readonly cluster: Cluster
  readonly authority: Authority
  readonly postgres: Dependency
  readonly registry: Dependency
  readonly services: readonly Member[]
  /** The volume for the logs of all services; null if this process may not mount one. */
  readonly serviceVolume: SmallVolume | null
  readonly baseUrls: readonly string[]
  /** Bypasses the relay. */
  readonly registryUrl: string
  /** Connects as the owner of the tables and bypasses the relay. */
  readonly databaseUrl: string
  /** The reason why no volume can be filled here; null if one can. */
  readonly noVolumes: string | null
  /** Sets the password that the services use from the next connection on. */
  tell(secret: 'database' | 'brokers', password: string): Promise<void>
  /** Runs an operator command. */
  command(...args: string[]): Promise<CommandResult>
  /** Runs an operator command and returns its JSON; throws if it fails. */
  json<T>(...args: string[]): Promise<T>
  stop(): Promise<void>
}

export const FIRST_PASSWORD = 'the-first-one'
const INSTANCES = { api: 2, scorer: 2, projector: 2, 'bulk-coordinator': 2, 'webhook-dispatcher': 2 } as const
type Service = keyof typeof INSTANCES
const DATABASE = 'elsewhere'
const ROLE = 'cupel_services'
const VOLUME_BYTES = 1024 * 1_048_576
const SERVICE_VOLUME_BYTES = 64 * 1_048_576
/** Only a hang takes longer. */
const INSTALL_MS = 240_000
const STOP_MS = 20_000
/** A busy machine must not fail the test. */
const DEADLINE_MS = '10000'
const CONNECTIONS = '5'

export async function startFaultInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-faults-'))
  // An unprivileged database user must be able to traverse the folder.
  await chmod(folder, 0o711)
  const janitor = startJanitor(folder)
  const started: { stop(): Promise<void> }[] = []
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop()
    janitor.stdin!.end()
    await once(janitor, 'exit')
  }
  try {
    return await assemble(folder, started, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

/** The janitor outlives this process, however it ends, and cleans up. */
function startJanitor(folder: string): ChildProcess {
  const file = join(checkout, 'packages/system-tests/test/cluster-faults/janitor.mjs')
  const stdio = ['pipe', 'ignore', 'ignore'] as const
  return spawn(process.execPath, [file, folder], { stdio: [...stdio], detached: true, cwd: '/' })
}

async function assemble(
  folder: string,
  started: { stop(): Promise<void> }[],
  stop: () => Promise<void>,
): Promise<Installation> {
  const jars = await ensureKafkaPrograms({})
  const noVolumes = whyNoSmallVolume()
  const authority = await createAuthority(folder)
  const services: Member[] = []
  const serviceAt = (port: number): string | null => callerAt(port, pidsOf(services))
  const mayMount = noVolumes === null
  const certificate = await authority.issue('in force')
  const { postgres, server } = await runPostgres(folder, { mayMount, certificate, callerAt: serviceAt })
  started.push(postgres)
  const cluster = await startCluster({ folder, jars, authority, mayMount, clientAt: serviceAt })
  started.push(cluster)
  const databaseUrl = await server.ensureDatabase(DATABASE)
  const registryDatabase = await server.ensureDatabase('registry')
  const registry = await runRegistry(folder, { jars, databaseUrl: registryDatabase, certificate })
  started.push(registry)

  const secrets = { database: join(folder, 'database-url'), brokers: join(folder, 'broker-password') }
  const tell: Installation['tell'] = async (secret, password) => {
    const url = new URL(databaseUrl)
    Object.assign(url, { username: ROLE, password, hostname: 'localhost', port: String(postgres.relay.port) })
    url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: authority.caFile }).toString()
    const content = secret === 'database' ? url.toString() : password
    await writeFile(secrets[secret], content, { mode: 0o600 })
  }
  await tell('database', FIRST_PASSWORD)
  await tell('brokers', FIRST_PASSWORD)
  await setBrokerPassword(cluster, FIRST_PASSWORD)
  const common = {
    CUPEL_LOG: 'kafka',
    CUPEL_DATABASE_URL_FILE: secrets.database,
    CUPEL_DATABASE_CONNECTIONS: CONNECTIONS,
    CUPEL_KAFKA_BROKERS: cluster.clients,
    CUPEL_KAFKA_TLS: 'true',
    CUPEL_KAFKA_TLS_CA_FILE: authority.caFile,
    CUPEL_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    CUPEL_KAFKA_USERNAME: SCRAM_USER,
    CUPEL_KAFKA_PASSWORD_FILE: secrets.brokers,
    CUPEL_RECORD_KEYS_FILE: join(folder, 'record-keys.json'),
  }
  const registryAt = (origin: string): string => `${origin}/apis/ccompat/v7`
  const operator = {
    ...common,
    CUPEL_DATABASE_ADMIN_URL: databaseUrl,
    CUPEL_REGISTRY_URL: registryAt(`https://localhost:${registry.relay.port}`),
    CUPEL_REGISTRY_CA_FILE: authority.caFile,
  }
  const command = (...args: string[]): Promise<CommandResult> => cupel(folder, args, operator)
  const json = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await command(...args, '--json')
    if (exitCode !== 0) throw new Error(`cupel ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    return JSON.parse(stdout) as T
  }
  await json('log', 'add-key')
  // Topics cannot have three replicas until all three brokers know each other.
  await until('an installation', INSTALL_MS, () => json('install'))
  const ports = await Promise.all(Array.from({ length: INSTANCES.api }, () => freePort()))
  const serviceFolder = join(folder, 'services')
  await mkdir(serviceFolder)
  const serviceVolume = mayMount ? mountSmallVolume(SERVICE_VOLUME_BYTES, serviceFolder) : null
  services.push(...planServices({ folder, serviceFolder, common, apiPorts: ports }))
  started.push({
    async stop() {
      await Promise.all(services.map((each) => each.stop()))
      serviceVolume?.unmount()
    },
  })
  await Promise.all(services.map((each) => each.start()))
  return {
    ...{ folder, cluster, authority, postgres, registry, services, databaseUrl, noVolumes },
    registryUrl: registryAt(`http://127.0.0.1:${registry.port}`),
    ...{ serviceVolume, tell, command, json, stop },
    baseUrls: ports.map((port) => `http://127.0.0.1:${port}`),
  }
}

export async function setBrokerPassword(cluster: Cluster, password: string): Promise<void> {
  const user = ['--entity-type', 'users', '--entity-name', SCRAM_USER]
  const change = ['--add-config', `SCRAM-SHA-512=[password=${password}]`]
  await cluster.tool('kafka.admin.ConfigCommand', '--command-config', '--alter', ...user, ...change)
}

async function runPostgres(
  home: string,
  { mayMount, ...relayed }: { readonly mayMount: boolean } & Pick<RelayOptions, 'certificate' | 'callerAt'>,
): Promise<{ postgres: Dependency; server: RunningPostgres }> {
  const folder = join(home, 'postgres')
  await mkdir(folder, { mode: 0o711 })
  const volume = mayMount ? mountSmallVolume(VOLUME_BYTES, folder) : null
  const port = await freePort()
  const places = { logFile: join(home, 'postgres.log'), recordFolder: join(home, 'processes') }
  let server: RunningPostgres | null = null
  const member = superviseMember('postgres', async () => {
    server = await startPostgres({ folder, port, ...places })
    return server.child
  })
  await member.start()
  const postgres = await behindRelay(member, { to: port, volume, speaks: 'postgres', ...relayed })
  return { postgres, server: server! }
}

async function runRegistry(home: string, { certificate, ...database }: RegistryOptions): Promise<Dependency> {
  const port = await freePort()
  const places = { logFile: join(home, 'registry.log'), recordFolder: join(home, 'processes') }
  const member = superviseMember('registry', async () => {
    const running = await startRegistry({
      ...{ ...database, port, folder: join(home, 'registry') },
      ...places,
    })
    return running.child
  })
  await member.start()
  return await behindRelay(member, { to: port, volume: null, certificate })
}

interface RegistryOptions {
  readonly jars: KafkaJars
  readonly databaseUrl: string
  readonly certificate: Certificate
}

async function behindRelay(
  member: Member,
  { volume, ...options }: RelayOptions & { readonly volume: SmallVolume | null },
): Promise<Dependency> {
  const relay = await startRelay(options)
  return {
    ...member,
    ...{ relay, volume, port: options.to },
    async stop() {
      await member.stop()
      await relay.close()
      volume?.unmount()
    },
  }
}

interface ServicePlan {
  readonly folder: string
  readonly serviceFolder: string
  readonly common: Record<string, string>
  readonly apiPorts: readonly number[]
}

function planServices({ folder, serviceFolder, common, apiPorts }: ServicePlan): readonly Member[] {
  const start = async (service: Service, instance: number): Promise<Child> =>
    startChild({
      name: `${service}-${instance}`,
      command: process.execPath,
      args: ['--max-old-space-size=384', join(checkout, 'dist', `${service}.js`)],
      cwd: checkout,
      env: {
        PATH: process.env['PATH'],
        ...common,
        CUPEL_HOME: folder,
        CUPEL_INSTANCE: String(instance),
        CUPEL_METRICS_PORT: '0',
        CUPEL_SCREEN_DEADLINE_MS: DEADLINE_MS,
        CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
        CUPEL_BASE_URL: `http://127.0.0.1:${apiPorts[0]}`,
        // Each instance adds its number to the port.
        ...(service === 'api' ? { CUPEL_PORT: String(apiPorts[instance]! - instance) } : {}),
      },
      logFile: join(serviceFolder, `${service}-${instance}.log`),
      recordFolder: join(folder, 'processes'),
      stage: 'service',
      stopSignal: 'SIGTERM',
      stopTimeoutMs: STOP_MS,
    })
  return (Object.keys(INSTANCES) as Service[]).flatMap((service) =>
    Array.from({ length: INSTANCES[service] }, (_, instance) =>
      superviseMember(`${service}-${instance}`, () => start(service, instance)),
    ),
  )
}
