/** Python interpreters, the test tools for each, and a clean environment with the package as a customer gets it. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const releaseScript = fileURLToPath(new URL('../../../scripts/release-sdk-python.mjs', import.meta.url))
const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url))
const requirements = join(packageFolder, 'test/requirements.txt')
/** Bytecode of imported modules: it is not stored in the checkout, and not compiled again by each process. */
const bytecode = join(cache, 'sdk-python-bytecode')
const PYRIGHT = 'pyright@1.1.414'
const OLDEST_MINOR = 10
const NEWEST_MINOR = 14

export interface Python {
  /** Such as "3.12". */
  readonly version: string
  readonly command: string
}

export interface Environment {
  readonly folder: string
  readonly python: string
  remove(): void
}

interface Finished {
  readonly status: number | null
  readonly output: string
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end and returns standard output and error together. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, PYTHONPYCACHEPREFIX: bytecode, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', (error) => resolve({ status: null, output: error.message }))
    child.once('close', (status) => resolve({ status, output }))
  })
}

/** Like `run`; throws if the program fails. */
export async function done(...args: Parameters<typeof run>): Promise<string> {
  const { status, output } = await run(...args)
  if (status === 0) return output
  throw new Error(`${args[0]} ${args[1].join(' ')} ended with exit code ${status}:\n${output}`)
}

/** One interpreter of each supported version on this machine. The one called python3 comes first if it is supported. */
export async function findPythons(): Promise<readonly Python[]> {
  const minors = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => OLDEST_MINOR + index)
  const candidates = ['python3', ...pyenvPythons(), ...minors.map((minor) => `python3.${minor}`)]
  const ask = 'import sys, venv, pip; print("%d.%d" % sys.version_info[:2], sys.executable)'
  const answers = await Promise.all(candidates.map((command) => run(command, ['-c', ask])))
  const found = new Map<string, Python>()
  for (const { status, output } of answers) {
    const [version = '', command = ''] = output.trim().split(' ')
    const [major, minor] = version.split('.').map(Number)
    const isSupported = status === 0 && major === 3 && minor! >= OLDEST_MINOR && minor! <= NEWEST_MINOR
    if (isSupported && !found.has(version)) found.set(version, { version, command })
  }
  return [...found.values()]
}

/** Versions between them behave like one of them: the features that the package needs came in the oldest or went in the newest. */
export function oldestAndNewest(pythons: readonly Python[]): readonly Python[] {
  const minorOf = ({ version }: Python): number => Number(version.split('.')[1])
  const byVersion = [...pythons].sort((one, other) => minorOf(one) - minorOf(other))
  return [...new Set([...byVersion.slice(0, 1), ...byVersion.slice(-1)])]
}

function pyenvPythons(): readonly string[] {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions')
  return existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin/python')) : []
}

/** The folder of the tools for this interpreter, or a sentence that states why they are not installed. */
export async function setUpTools(
  python: Python,
): Promise<{ readonly tools: string } | { readonly missing: string }> {
  const hash = hashOf(readFileSync(requirements, 'utf8'))
  const tools = join(cache, `sdk-python-${python.version}-${hash}`)
  const missing = await installed(tools, (half) =>
    run(python.command, [
      ...['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps', '--no-compile'],
      ...['--only-binary', ':all:', '--target', half, '--requirement', requirements],
    ]),
  )
  return missing === null ? { tools } : { missing: `pip cannot install the tools: ${missing}` }
}

/** The pyright program, or a sentence that states why there is none. */
export async function setUpPyright(): Promise<{ readonly pyright: string } | { readonly missing: string }> {
  const folder = join(cache, `sdk-python-${PYRIGHT.replace('@', '-')}`)
  const missing = await installed(folder, (half) => {
    writeFileSync(join(half, 'package.json'), '{"private": true}')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional']
    return run('npm', ['install', ...flags, PYRIGHT], { cwd: half })
  })
  const pyright = join(folder, 'node_modules/pyright/index.js')
  return missing === null ? { pyright } : { missing: `npm cannot install pyright: ${missing}` }
}

/** Fills a folder once, even if several runs start at the same time. Returns the reason of a failure, or null. */
async function installed(folder: string, fill: (half: string) => Promise<Finished>): Promise<string | null> {
  if (existsSync(folder)) return null
  mkdirSync(cache, { recursive: true })
  const half = mkdtempSync(join(cache, 'sdk-python-half-'))
  const { status, output } = await fill(half)
  if (status !== 0) {
    rmSync(half, { recursive: true, force: true })
    return output.trim().slice(-400)
  }
  try {
    renameSync(half, folder)
  } catch {
    // Another run finished first.
    rmSync(half, { recursive: true, force: true })
  }
  return null
}

/** Builds sdist and wheel with the release script; returns its output. */
export function buildPackage(python: Python, tools: string, folder: string): Promise<string> {
  return done(process.execPath, [releaseScript, '--python', python.command, '--out', folder], {
    env: { PYTHONPATH: tools },
  })
}

/** An environment with only the built file and its requirements. */
export async function cleanEnvironment(python: Python, file: string): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-python-'))
  await done(python.command, ['-m', 'venv', '--without-pip', folder])
  const own = join(folder, 'bin/python')
  await done(python.command, [
    ...['-m', 'pip', '--disable-pip-version-check', '--python', own, 'install', '--quiet'],
    ...['--no-compile', '--constraint', requirements, file],
  ])
  // Bytecode lies under the path of its source.
  const folders = [folder, join(bytecode, folder)]
  return {
    folder,
    python: own,
    remove: () => folders.forEach((each) => rmSync(each, { recursive: true, force: true })),
  }
}

/** Adds the tools behind the packages of the environment. */
export async function addTools({ python }: Environment, tools: string): Promise<void> {
  const site = await done(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])
  writeFileSync(join(site.trim(), 'tools.pth'), `${tools}\n`)
}

/** The snippets of docs/sdk-python.md, in order. */
export function guideSnippets(): readonly string[] {
  const guide = readFileSync(join(packageFolder, '../../docs/sdk-python.md'), 'utf8')
  return [...guide.matchAll(/^```python run\n([^]*?)^```$/gm)].map(([, code]) => code!)
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)
