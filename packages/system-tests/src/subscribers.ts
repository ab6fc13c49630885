/** The quick starts of examples/subscribers with their packages, fetched once into the cache of the checkout. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { checkout, type ReadyLine } from './installation.js'
import { credentialsOf } from './kafka-log.js'

export interface Subscriber {
  readonly language: string
  /** Runs it to its end and returns the lines that it printed. Throws with its output if it fails. */
  run(args: readonly string[], settings?: Readonly<Record<string, string>>): Promise<readonly object[]>
}

export const examples = join(checkout, 'examples/subscribers')
export const readerSchemas = join(examples, 'reader-schemas')
/** A compiler that needs no JDK. */
const JAVA_COMPILER = 'org.eclipse.jdt:ecj:3.45.0'
const RUN_LIMIT_MS = 240_000
const FETCH_LIMIT_MS = 600_000
const FETCH_ATTEMPTS = 3
const execute = promisify(execFile)

/** Throws if a language or a package is not available. */
export async function prepareSubscribers(): Promise<readonly Subscriber[]> {
  return [await typescriptSubscriber(), await pythonSubscriber(), await javaSubscriber()]
}

/** What the operator of an installation gives to subscribers. */
export interface Trust {
  readonly publicKeysFile: string
  readonly logId: string
}

/** The environment variables with which each subscriber follows a topic to its current end. */
export function settingsOf(ready: ReadyLine, groupId: string, trust: Trust): Record<string, string> {
  const credentials = credentialsOf(ready) as { username: string; password: string } | undefined
  return {
    KAFKA_BROKERS: ready.log.brokers!.join(','),
    SCHEMA_REGISTRY_URL: ready.log.registry!,
    GROUP_ID: groupId,
    STOP_AT_END: 'true',
    ...{ PUBLIC_KEYS: trust.publicKeysFile, LOG_ID: trust.logId },
    ...(credentials && { KAFKA_USERNAME: credentials.username, KAFKA_PASSWORD: credentials.password }),
  }
}

/** Its packages are those of the checkout: the versions are the same. */
async function typescriptSubscriber(): Promise<Subscriber> {
  const folder = await prepared('typescript', ['typescript/package.json'], (half) => {
    mkdirSync(join(half, 'node_modules'))
    for (const name of ['avsc', 'kafkajs'])
      cpSync(join(checkout, 'packages/system-tests/node_modules', name), join(half, 'node_modules', name), {
        recursive: true,
        dereference: true,
      })
    return Promise.resolve()
  })
  // Next to the schemas as in the example, and next to its packages.
  const program = (): string => {
    cpSync(examples, join(folder, 'subscribers'), { recursive: true })
    const sdk = join(folder, 'node_modules/@cupel/sdk')
    cpSync(join(checkout, 'packages/sdk-typescript/dist'), join(sdk, 'dist'), { recursive: true })
    writeFileSync(join(sdk, 'package.json'), '{"type":"module","exports":"./dist/index.js"}')
    return join(folder, 'subscribers/typescript/report-subscriber.mjs')
  }
  return { language: 'TypeScript', run: runner(process.execPath, () => [program()]) }
}

async function pythonSubscriber(): Promise<Subscriber> {
  const requirements = join(examples, 'python/requirements.txt')
  const { stdout: version } = await execute('python3', [
    '-c',
    'import sys; print("%d.%d" % sys.version_info[:2])',
  ])
  const packages = await prepared(`python-${version.trim()}`, ['python/requirements.txt'], (half) =>
    fetch('python3', [
      ...['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--root-user-action', 'ignore'],
      ...['--only-binary', ':all:', '--target', half, ...SDK_NEEDS, ...publishedPackages(requirements)],
    ]),
  )
  const program = join(examples, 'python/report_subscriber.py')
  const sdk = join(checkout, 'packages/sdk-python/src')
  const environment = { PYTHONPATH: [sdk, packages].join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
  return { language: 'Python', run: runner('python3', () => [program], environment) }
}

/** The SDK itself is that of the checkout. */
const SDK_NEEDS = ['anyio==4.16.0', 'cryptography==48.0.0', 'httpx==0.28.1']
const publishedPackages = (requirements: string): readonly string[] =>
  readFileSync(requirements, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('cupel['))

async function javaSubscriber(): Promise<Subscriber> {
  const classPath = await javaClassPath('java', 'ReportSubscriber.java', RECORD_VERIFIER)
  const environment = { READER_SCHEMAS: readerSchemas }
  return {
    language: 'Java',
    run: runner('java', () => ['-Xmx256m', '-classpath', classPath, 'ReportSubscriber'], environment),
  }
}

/** Checks the signatures of records for both programs in Java; named as seen from the folder of one. */
export const RECORD_VERIFIER = '../java/cupel/records/RecordVerifier.java'

/** The class path of a program in a folder of the examples, with the libraries of its `pom.xml`. */
export async function javaClassPath(name: string, ...sources: readonly string[]): Promise<string> {
  const pom = `${name}/pom.xml`
  const folder = await prepared(name, [pom, ...sources.map((source) => join(name, source))], async (half) => {
    const maven = (goal: string, ...args: string[]): Promise<void> =>
      fetch('mvn', [
        ...['--batch-mode', '--strict-checksums', '--quiet', '--file', join(examples, pom)],
        ...[goal, ...args],
      ])
    const libraries = join(half, 'libraries')
    await maven('dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${libraries}`)
    await maven(
      'dependency:copy',
      `-Dartifact=${JAVA_COMPILER}`,
      `-DoutputDirectory=${join(half, 'compiler')}`,
    )
    const [compiler] = jarsIn(join(half, 'compiler'))
    await execute('java', [
      ...['-jar', compiler!, '-17', '-proc:none', '-classpath', jarsIn(libraries).join(':')],
      ...['-d', join(half, 'classes'), ...sources.map((source) => join(examples, name, source))],
    ])
  })
  return [join(folder, 'classes'), ...jarsIn(join(folder, 'libraries'))].join(':')
}

const jarsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(folder, name))

function runner(
  command: string,
  program: () => readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Subscriber['run'] {
  return async (args, settings = {}) => {
    const { stdout } = await execute(command, [...program(), ...args], {
      env: { ...process.env, ...environment, ...settings },
      timeout: RUN_LIMIT_MS,
    })
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as object)
  }
}

/** Registries other than those of the machine are sometimes busy. */
async function fetch(command: string, args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await execute(command, args, { timeout: FETCH_LIMIT_MS })
      return
    } catch (error) {
      if (attempt === FETCH_ATTEMPTS) throw error
    }
}

/** A folder of the cache that is filled once for the content of `files`, also by concurrent runs. */
async function prepared(
  name: string,
  files: readonly string[],
  fill: (half: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(examples, file)))
  const cache = join(checkout, '.cache')
  const folder = join(cache, `subscriber-${name}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const half = mkdtempSync(join(cache, 'subscriber-half-'))
  await fill(half)
  try {
    renameSync(half, folder)
  } catch (error) {
    // Another run was faster.
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
