/** A Postgres and its replicas behind one address, like a proxy or a host name. Each replica follows the server before it. */
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort, startPostgres, type RunningPostgres } from '@cupel/local-stack'
import { executeAt, until } from '@cupel/testkit'

export interface PostgresReplicas {
  /** Connection string of the owner, through the address. */
  readonly databaseUrl: string
  /** The primary first. The second one is synchronous; the third one follows the second one. */
  readonly servers: readonly ReplicatedServer[]
  /** Closes every connection through the address, and points it to another server. */
  pointTo(server: ReplicatedServer): void
  stop(): Promise<void>
}

export interface ReplicatedServer {
  readonly port: number
  /** SIGKILL: the server flushes nothing and notifies no client. */
  kill(): Promise<void>
  /** Stops the server in good order: it keeps its data and receives nothing more. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Runs a statement as the owner, on this server. */
  execute(statement: string): Promise<void>
  /** Resolves when a replica follows this server and has every record of its log. */
  untilFollowed(): Promise<void>
}

const DATABASE = 'elsewhere'
const SETTINGS = ['wal_level=replica', 'max_wal_senders=4']
/** Each commit waits until the replica has flushed it. */
const SYNCHRONOUS = ['synchronous_standby_names=*', 'synchronous_commit=on']

/** `folder` holds the data and the logs of all servers. */
export async function startPostgresReplicas(folder: string): Promise<PostgresReplicas> {
  const first = join(folder, 'postgres-0')
  const started = await start(first, 0, folder, SETTINGS)
  const owner = new URL(await started.ensureDatabase(DATABASE))
  await started.stop()
  const ports = [await freePort(), await freePort(), await freePort()]
  for (const index of [1, 2]) copyAsStandby(first, join(folder, `postgres-${index}`))
  const urlAt = (port: number): string => Object.assign(new URL(owner), { port: String(port) }).toString()
  const servers = ports.map((port, index) => {
    const before = ports[index - 1]
    const follows =
      before === undefined
        ? SYNCHRONOUS
        : [
            `primary_conninfo=host=127.0.0.1 port=${before} user=${owner.username} password=${owner.password} application_name=replica`,
          ]
    return replicatedServer(urlAt(port), () =>
      start(join(folder, `postgres-${index}`), port, folder, [...SETTINGS, ...follows]),
    )
  })
  for (const server of servers) await server.start()
  const address = await openAddress(servers[0]!.port)
  return {
    servers,
    databaseUrl: urlAt(address.port),
    pointTo: ({ port }) => address.pointTo(port),
    async stop() {
      await address.close()
      for (const server of servers.toReversed()) await server.stop()
    },
  }
}

async function start(
  folder: string,
  port: number,
  logs: string,
  settings: readonly string[],
): Promise<RunningPostgres> {
  return await startPostgres({
    ...{ folder, settings, logFile: `${folder}.log`, recordFolder: join(logs, 'processes') },
    ...(port === 0 ? {} : { port }),
  })
}

/** Copies a stopped server as a standby: its files are one consistent state. */
function copyAsStandby(from: string, to: string): void {
  mkdirSync(to)
  execFileSync('cp', ['-a', join(from, 'data'), join(from, 'password'), to])
  const signal = join(to, 'data', 'standby.signal')
  writeFileSync(signal, '')
  const { uid, gid } = statSync(join(to, 'data'))
  chownSync(signal, uid, gid)
}

function replicatedServer(url: string, begin: () => Promise<RunningPostgres>): ReplicatedServer {
  let running: RunningPostgres | null = null
  const execute = (statement: string): Promise<void> => executeAt(url, statement, [])
  return {
    port: Number(new URL(url).port),
    execute,
    async start() {
      running = await begin()
    },
    async stop() {
      await running?.stop()
      running = null
    },
    async kill() {
      process.kill(running!.child.pid, 'SIGKILL')
      await running!.child.exited
      running = null
    },
    untilFollowed: () =>
      until(() =>
        // If no replica has everything, the division by zero fails.
        execute('SELECT 1 / count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()'),
      ),
  }
}

/** Opens a port that forwards to another one, until `pointTo` changes the target. */
async function openAddress(
  leadsTo: number,
): Promise<{ readonly port: number; pointTo(port: number): void; close(): Promise<void> }> {
  const open = new Set<Socket>()
  let target = leadsTo
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const closeAll = (): void => open.forEach((socket) => socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    pointTo(port) {
      target = port
      closeAll()
    },
    async close() {
      closeAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
