// The Node that runs this checkout: the user's own from version 24 on, else the pinned one, fetched by its hash. Run as a program, it
// prints the path. Any Node with modules can parse it, because it runs before the version is known.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pinnedPackage } from './pinned-package.mjs'
import { orExplain, SetupError } from './setup-lock.mjs'

const MAJOR = 24
/** The lowest version that can fetch the pinned one. */
const LOWEST = 20
const EXIT_NODE = 10
const CACHE = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache', 'packages')

/** By platform. The registry has no newer version of 24 for the second one. */
export const PINNED = {
  'linux-x64': {
    version: '24.22.3',
    integrity:
      'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  },
  'linux-arm64': {
    version: '24.22.0',
    integrity:
      'sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==',
  },
}

/**
 * The pinned program for a Node that is too old, or null if that Node can run the product itself. Throws SetupError if it is too old to
 * fetch one, or if none is pinned for its platform.
 * @param {{ version: string, platform: string, isMusl: boolean }} present
 */
export function pinnedFor({ version, platform, isMusl }) {
  const major = Number(version.split('.')[0])
  if (major >= MAJOR) return null
  const pinned = isMusl ? undefined : PINNED[platform]
  if (major >= LOWEST && pinned !== undefined) return { name: `node-${platform}`, ...pinned }
  throw new SetupError(
    `Cupel needs Node ${MAJOR} or newer, and this is ${version}: install a newer one. On Linux with glibc (x64 and arm64), Node ${LOWEST} can fetch Node ${MAJOR} by itself.`,
    EXIT_NODE,
  )
}

/** Resolves to the path of the program. Rejects with SetupError if it cannot be fetched, or if this platform has none. */
export async function runtimeProgram() {
  const { versions, platform, arch } = process
  const pinned = pinnedFor({ version: versions.node, platform: `${platform}-${arch}`, isMusl: isMusl() })
  if (pinned === null) return process.execPath
  const say = () =>
    process.stderr.write(`Fetching Node ${pinned.version} (once), because this is ${versions.node} …\n`)
  return join(await pinnedPackage(pinned, CACHE, say), 'bin', 'node')
}

/** The pinned programs need glibc. */
function isMusl() {
  const { header } = /** @type {any} */ (process.report.getReport())
  return process.platform === 'linux' && !header.glibcVersionRuntime
}

/** Runs `work` here, or, if this Node is too old, this program under the pinned one, which gets the terminal and the signals. */
export async function runUnderRuntime(work) {
  const node = await orExplain(runtimeProgram)
  if (node === process.execPath) return await work()
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL']
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await orExplain(runtimeProgram)}\n`)
