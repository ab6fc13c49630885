/** The quick start of examples/subscribers for Kafka Connect: a standalone worker with its connectors. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { ReadyLine } from './installation.js'
import { credentialsOf } from './kafka-log.js'
import { examples, javaClassPath, readerSchemas, RECORD_VERIFIER, type Trust } from './subscribers.js'

export interface ConnectExample {
  /** The rows of the samples in a folder, in the form of schemas/golden. */
  rowsOf(folder: string, types: readonly string[]): Promise<readonly object[]>
  /** Starts the connectors of these names against an installation and a database. */
  start(
    ready: ReadyLine,
    options: { readonly database: string; readonly connectors: readonly string[]; readonly trust: Trust },
  ): Promise<ConnectWorker>
}

export interface ConnectWorker {
  /** State of the task of a connector, such as RUNNING, and the reason of its failure. */
  task(connector: string): Promise<{ readonly state: string; readonly trace?: string } | undefined>
  /** Adds settings to those of a connector and starts it again; under another name it is another connector, with its own group. */
  reconfigure(connector: string, settings: Readonly<Record<string, string>>, name?: string): Promise<void>
  output(): string
  /** SIGKILL: the tables belong to the test. */
  kill(): Promise<void>
}

const folder = join(examples, 'kafka-connect')
const CLASS = 'cupel.connect.EventToRow'
const RUN_LIMIT_MS = 240_000
const MEMORY = '-Xmx320m'
const OUTPUT_KEPT = 100_000

/** Throws if Java or a library is not available. */
export async function prepareConnect(): Promise<ConnectExample> {
  const libraries = await javaClassPath('kafka-connect', 'src/cupel/connect/EventToRow.java', RECORD_VERIFIER)
  const classPath = [libraries, join(folder, 'resources')].join(delimiter)
  return {
    async rowsOf(golden, types) {
      const { stdout } = await promisify(execFile)(
        'java',
        [MEMORY, '-classpath', classPath, CLASS, golden, readerSchemas, ...types],
        { timeout: RUN_LIMIT_MS },
      )
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as object)
    },
    start: (ready, options) => startWorker(classPath, ready, options),
  }
}

async function startWorker(
  classPath: string,
  ready: ReadyLine,
  {
    database,
    connectors,
    trust,
  }: { readonly database: string; readonly connectors: readonly string[]; readonly trust: Trust },
): Promise<ConnectWorker> {
  const scratch = mkdtempSync(join(tmpdir(), 'cupel-connect-'))
  const listener = `http://127.0.0.1:${await freePort()}`
  const child = spawn(
    'java',
    [
      ...[MEMORY, '-XX:TieredStopAtLevel=1', '-classpath', classPath],
      ...['org.apache.kafka.connect.cli.ConnectStandalone', join(folder, 'worker.properties')],
      ...connectors.map((name) => join(folder, `${name}.properties`)),
    ],
    {
      env: {
        ...process.env,
        ...environmentOf(ready, database),
        ...{ PUBLIC_KEYS: trust.publicKeysFile, LOG_ID: trust.logId },
        OFFSETS_FILE: join(scratch, 'offsets'),
        CONNECT_LISTENER: listener,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-OUTPUT_KEPT))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    if (child.exitCode !== null) throw new Error(`the worker of Kafka Connect has ended:\n${output}`)
    const answer = await fetch(`${listener}/connectors/${path}`, init)
    if (!answer.ok) throw new Error(`Kafka Connect answers ${answer.status}: ${await answer.text()}`)
    return await answer.json()
  }
  return {
    async task(connector) {
      const { tasks } = (await ask(`${connector}/status`)) as { tasks: { state: string; trace?: string }[] }
      return tasks[0]
    },
    async reconfigure(connector, settings, name = connector) {
      const config = (await ask(`${connector}/config`)) as Record<string, string>
      await ask(`${name}/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...config, ...settings, name }),
      })
    },
    output: () => output,
    async kill() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

function environmentOf(ready: ReadyLine, database: string): Record<string, string> {
  const { hostname, port, pathname, username, password, searchParams } = new URL(database)
  const { username: user, password: secret } = credentialsOf(ready) as { username: string; password: string }
  const host = hostname === '' ? (searchParams.get('host') ?? '') : hostname
  return {
    KAFKA_BROKERS: ready.log.brokers!.join(','),
    KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
    KAFKA_JAAS_CONFIG: `org.apache.kafka.common.security.plain.PlainLoginModule required username="${user}" password="${secret}";`,
    SCHEMA_REGISTRY_URL: ready.log.registry!,
    READER_SCHEMAS: readerSchemas,
    POSTGRES_URL: `jdbc:postgresql://${host}:${port}${pathname}`,
    POSTGRES_USER: decodeURIComponent(username),
    POSTGRES_PASSWORD: decodeURIComponent(password),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
