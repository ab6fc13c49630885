/**
 * A server with the S3 interface over a folder: S3Proxy, from Maven, fetched once into the cache of the checkout. It checks signatures
 * and conditions as real stores do.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findJava } from '@cupel/local-stack'
import { until } from './until.js'

export interface S3Server {
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Name of a new, empty bucket. */
  newBucket(): string
  /** The folder of a bucket: its files are the objects. */
  folderOf(bucket: string): string
  stop(): Promise<void>
}

const SOURCE = fileURLToPath(new URL('../s3-server', import.meta.url))
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url))
const FETCH_LIMIT_MS = 600_000
const FETCH_ATTEMPTS = 3
const execute = promisify(execFile)

export async function startS3Server(): Promise<S3Server> {
  const [java, jars] = [await findJava(), await fetchS3Jars()]
  const folder = mkdtempSync(join(tmpdir(), 'cupel-s3-server-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const credentials = { accessKeyId: 'test-key', secretAccessKey: randomUUID() }
  const settings = join(folder, 's3proxy.conf')
  writeFileSync(settings, s3Settings({ endpoint, data, ...credentials }))
  const process = spawn(java, [
    ...['-XX:TieredStopAtLevel=1', '-Xmx256m', `-Dlogback.configurationFile=${join(SOURCE, 'logback.xml')}`],
    ...['-cp', join(jars, '*'), 'org.gaul.s3proxy.Main', '--properties', settings],
  ])
  const said = collect(process)
  await until(async () => {
    if (process.exitCode === null) await fetch(endpoint)
  })
  if (process.exitCode !== null) throw new Error(`The S3 server ended.\n${said()}`)
  return {
    ...{ endpoint, credentials },
    newBucket() {
      const name = `cupel-${randomUUID()}`
      mkdirSync(join(data, name))
      return name
    },
    folderOf: (bucket) => join(data, bucket),
    async stop() {
      const ended = new Promise((resolve) => process.once('exit', resolve))
      if (process.exitCode === null) {
        process.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The settings of one key of a server. */
export function s3Settings({
  endpoint,
  data,
  accessKeyId,
  secretAccessKey,
  readsOnly = false,
}: S3Server['credentials'] & {
  readonly endpoint: string
  readonly data: string
  readonly readsOnly?: boolean
}): string {
  return [
    's3proxy.authorization=aws-v4',
    `s3proxy.endpoint=${endpoint}`,
    `s3proxy.identity=${accessKeyId}`,
    `s3proxy.credential=${secretAccessKey}`,
    'jclouds.provider=filesystem-nio2',
    `jclouds.filesystem.basedir=${data}`,
    `s3proxy.read-only-blobstore=${readsOnly}`,
    '',
  ].join('\n')
}

/** A folder of the cache that is filled once for the versions of the pom, also by concurrent runs. */
export async function fetchS3Jars(): Promise<string> {
  const pom = join(SOURCE, 'pom.xml')
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12)
  const folder = join(CACHE, `s3-server-${hash}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const half = mkdtempSync(join(CACHE, 's3-server-half-'))
  await maven([
    ...['--batch-mode', '--strict-checksums', '--quiet', '--file', pom, 'dependency:copy-dependencies'],
    ...['-DincludeScope=runtime', `-DoutputDirectory=${half}`],
  ])
  try {
    renameSync(half, folder)
  } catch (error) {
    // Another run was faster.
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** A registry is sometimes busy. */
async function maven(args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await execute('mvn', args, { timeout: FETCH_LIMIT_MS })
      return
    } catch (error) {
      if (attempt === FETCH_ATTEMPTS) throw error
    }
}

/** The end of the output of a process, for the message of its failure. */
function collect(process: ChildProcess): () => string {
  let text = ''
  for (const stream of [process.stdout!, process.stderr!])
    stream.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-4_000)))
  return () => text
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
