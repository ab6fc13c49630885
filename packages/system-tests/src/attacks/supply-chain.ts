/** Registries that serve other programs than those tested with the project. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkout } from '../installation.js'
import type { Attack, Outcome } from './attack.js'

/** Replaces the clients of both registries: each returns a file that it makes itself. */
const NPM = `for last; do :; done
mkdir package && tar -czf "$last/other.tgz" package
echo '[{"filename": "other.tgz"}]'`
const MAVEN = `for argument in "$@"; do case $argument in -DoutputDirectory=*) out=\${argument#*=};; esac; done
echo other > "$out/log4j-core-2.26.1.jar"`
const JAVA = `echo 'openjdk version "17.0.15" 2025-04-15' >&2`

export const supplyChain: readonly Attack[] = [
  {
    name: 'another pnpm from the package registry, at the first start',
    threat: 'forgery',
    place: 'once',
    run: () =>
      inFolder(async (folder) => {
        const fresh = freshCheckout(folder)
        return await refused(folder, [join(fresh, 'scripts/cupel.mjs'), '--version'], {
          says: /npm fetched pnpm .* with another content/,
          leftovers: [join(fresh, 'node_modules')],
        })
      }),
  },
  {
    name: 'another log4j-core from the repository of Maven',
    threat: 'forgery',
    place: 'once',
    run: () =>
      inFolder(async (folder) => {
        const built = pathToFileURL(join(checkout, 'packages/local-stack/dist/index.js')).href
        const code = `const { ensureKafkaJars } = await import('${built}')
await ensureKafkaJars({ cacheDir: ${JSON.stringify(join(folder, 'cache'))} })`
        return await refused(folder, ['--input-type=module', '--eval', code], {
          says: /a file log4j-core-2\.26\.1\.jar that is not the one of deploy\/kafka\/jars\.sha256/,
          leftovers: [],
        })
      }),
  },
]

async function inFolder(work: (folder: string) => Promise<Outcome>): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-supply-'))
  try {
    mkdirSync(join(folder, 'bin'))
    for (const [name, script] of Object.entries({ npm: NPM, mvn: MAVEN, java: JAVA })) {
      const path = join(folder, 'bin', name)
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files that a start reads before anything is installed. */
function freshCheckout(folder: string): string {
  const fresh = join(folder, 'checkout')
  cpSync(join(checkout, 'scripts'), join(fresh, 'scripts'), { recursive: true })
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'])
    copyFileSync(join(checkout, file), join(fresh, file))
  return fresh
}

async function refused(
  folder: string,
  args: readonly string[],
  expected: { readonly says: RegExp; readonly leftovers: readonly string[] },
): Promise<Outcome> {
  const { exitCode, output } = await run(folder, args)
  const left = expected.leftovers.filter((path) => existsSync(path))
  return {
    limit: 'refused by its hash, and nothing of it used',
    measured: `exit code ${exitCode}${left.map((path) => `, ${path} is there`).join('')}`,
    held: exitCode !== 0 && expected.says.test(output) && left.length === 0,
  }
}

function run(folder: string, args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('CUPEL_'))
  const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: {
        ...Object.fromEntries(environment),
        PATH: path,
        JAVA_HOME: '',
        CUPEL_HOME: join(folder, 'home'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })
}
