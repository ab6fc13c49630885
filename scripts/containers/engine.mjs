// A container engine for tests: the one of this machine, or a private one that ends with the command.
//
//   node scripts/containers/engine.mjs COMMAND ARGUMENT…
//
// The private engine needs root and Debian's packages docker.io, containerd and iptables. It has its own data, socket, bridge and
// pid file, so it disturbs no other engine. At the end it removes all of them and its firewall rules.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from '../setup.mjs'
import { persist } from './persist.mjs'

const run = promisify(execFile)
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 200
/** Most engines on one machine at a time. Each has its own ranges, which few networks use, so that the machine keeps its routes. */
const MAX_ENGINES = 16
const bridgeAddress = (place) => `10.214.${place}.1/24`
const networkPool = (place) => ({ base: `10.${230 + place}.0.0/16`, size: 24 })
const PLUGINS = ['docker-compose', 'docker-buildx']
/** This release of Debian and later ones have the plugins. */
const PLUGIN_RELEASE = 'trixie'

export class NoEngineError extends Error {}

/**
 * Finds the engine of this machine, or starts a private one. With `environment`, docker finds it, Compose and BuildKit. `close` ends a
 * private engine and does nothing to another one. Throws NoEngineError if there is none and none can be started.
 * @returns {Promise<{ environment: Record<string, string>, close: () => Promise<void> }>}
 */
export async function openEngine() {
  const plugins = await pluginEnvironment()
  if (await answers(plugins)) return { environment: plugins, close: async () => undefined }
  const engine = await startEngine()
  return { environment: { ...plugins, DOCKER_HOST: engine.host }, close: engine.stop }
}

async function answers(environment) {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], {
      env: { ...process.env, ...environment },
    })
    return true
  } catch {
    return false
  }
}

/**
 * If the client lacks the plugins, extracts them from Debian's packages into the cache.
 * @returns {Promise<Record<string, string>>} Variables with which docker finds them.
 */
async function pluginEnvironment() {
  try {
    await run('docker', ['compose', 'version'])
    await run('docker', ['buildx', 'version'])
    return {}
  } catch (error) {
    if (error.code === 'ENOENT') throw new NoEngineError('docker cannot be run: install Docker.')
  }
  const config = join(root, '.cache', 'containers', 'docker-config')
  const folder = join(config, 'cli-plugins')
  if (!PLUGINS.every((name) => existsSync(join(folder, name)))) await fetchPlugins(folder)
  return { DOCKER_CONFIG: config }
}

async function fetchPlugins(folder) {
  const draft = mkdtempSync(join(tmpdir(), 'cupel-plugins-'))
  try {
    const extracted = join(draft, 'root')
    await persist(async () => {
      rmSync(extracted, { recursive: true, force: true })
      await run('mmdebstrap', ['--variant=extract', `--include=${PLUGINS.join()}`, PLUGIN_RELEASE, extracted])
    })
    mkdirSync(folder, { recursive: true })
    for (const name of PLUGINS)
      await run('cp', [join(extracted, 'usr/libexec/docker/cli-plugins', name), join(folder, name)])
  } catch (error) {
    throw new NoEngineError(
      `docker has no Compose or BuildKit, and they could not be fetched from Debian: ${lastLine(error.stderr ?? error.message)}`,
    )
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function startEngine() {
  if (process.getuid?.() !== 0)
    throw new NoEngineError('No container engine answers, and only root can start one.')
  const folder = mkdtempSync(join(tmpdir(), 'cupel-engine-'))
  const bridge = `cupel${process.pid}`
  const host = `unix://${join(folder, 'docker.sock')}`
  const logFile = join(folder, 'dockerd.log')
  const forwarding = readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8')
  const rules = savedRules()
  const place = freePlace()
  /** @type {import('node:child_process').ChildProcess | null} */
  let daemon = null
  let hasEnded = false
  const stop = async () => {
    if (daemon !== null && !hasEnded) {
      await removeAll(host)
      daemon.kill('SIGTERM')
      const killAt = Date.now() + STOP_TIMEOUT_MS
      while (!hasEnded && Date.now() < killAt) await sleep(POLL_MS)
      if (!hasEnded) daemon.kill('SIGKILL')
    }
    quietly('ip', ['link', 'delete', bridge])
    removeRules(rules)
    writeFileSync('/proc/sys/net/ipv4/ip_forward', forwarding)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: POLL_MS })
  }
  try {
    execFileSync('ip', ['link', 'add', bridge, 'type', 'bridge'])
    execFileSync('ip', ['address', 'add', bridgeAddress(place), 'dev', bridge])
    execFileSync('ip', ['link', 'set', bridge, 'up'])
    const log = openSync(logFile, 'a')
    // Builds run inside the daemon: they take what other tests leave.
    const command = ['-n', '19', 'dockerd', '--config-file', writeSettings(folder, { bridge, host, place })]
    daemon = spawn('nice', command, {
      // Ctrl-C is for the command: the engine ends after it.
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    })
    daemon.once('error', () => (hasEnded = true)).once('close', () => (hasEnded = true))
    const giveUpAt = Date.now() + START_TIMEOUT_MS
    while (!(await answers({ DOCKER_HOST: host }))) {
      if (hasEnded || Date.now() > giveUpAt) throw new Error(lastLine(readFileSync(logFile, 'utf8')))
      await sleep(POLL_MS)
    }
    return { host, stop }
  } catch (error) {
    await stop()
    throw new NoEngineError(`No container engine answers, and a private one did not start: ${error.message}`)
  }
}

/** Running engines, and killed ones that left their bridge behind, occupy their ranges. */
function freePlace() {
  const addresses = quietly('ip', ['-o', '-4', 'address'])
  for (let tried = 0; tried < MAX_ENGINES; tried += 1) {
    const place = (process.pid + tried) % MAX_ENGINES
    if (!addresses.includes(` ${bridgeAddress(place)} `)) return place
  }
  throw new NoEngineError(
    `${MAX_ENGINES} engines have bridges on this machine: remove those of engines that ended.`,
  )
}

function writeSettings(folder, { bridge, host, place }) {
  const file = join(folder, 'daemon.json')
  const settings = {
    'data-root': join(folder, 'data'),
    'exec-root': join(folder, 'exec'),
    pidfile: join(folder, 'dockerd.pid'),
    hosts: [host],
    bridge,
    'default-address-pools': [networkPool(place)],
    features: { buildkit: true },
  }
  writeFileSync(file, JSON.stringify(settings))
  return file
}

/** Removes containers and networks: a network is a bridge of the machine and would outlive the engine. */
async function removeAll(host) {
  const docker = async (...args) =>
    (await run('docker', args, { env: { ...process.env, DOCKER_HOST: host } })).stdout
      .split('\n')
      .filter(Boolean)
  try {
    const containers = await docker('ps', '--all', '--quiet')
    if (containers.length > 0) await docker('rm', '--force', '--volumes', ...containers)
    await docker('network', 'prune', '--force')
  } catch {
    // The engine itself is broken; what it leaves is named by its own bridge.
  }
}

/** Chains and default policy of the firewall as they are now. */
function savedRules() {
  return ['nat', 'filter'].map((table) => ({ table, before: new Set(rulesOf(table)) }))
}

const rulesOf = (table) => quietly('iptables', ['-t', table, '-S']).split('\n').filter(Boolean)

/** Removes the additions of an engine: rules first, then the chains that they name. */
function removeRules(saved) {
  for (const { table, before } of saved) {
    const added = rulesOf(table).filter((rule) => !before.has(rule))
    const call = (rule) => quietly('iptables', ['-t', table, ...rule.match(/"[^"]*"|\S+/g)])
    for (const rule of added.filter((one) => one.startsWith('-A '))) call(rule.replace('-A ', '-D '))
    for (const rule of added.filter((one) => one.startsWith('-N '))) call(rule.replace('-N ', '-F '))
    for (const rule of added.filter((one) => one.startsWith('-N '))) call(rule.replace('-N ', '-X '))
    for (const rule of before) if (rule.startsWith('-P ')) call(rule)
  }
}

function quietly(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    })
  } catch {
    // It is gone already, or the machine has no such program.
    return ''
  }
}

const lastLine = (text) => text.trim().split('\n').at(-1)

/** @param {string[]} words */
async function main([command, ...args]) {
  if (command === undefined)
    throw new NoEngineError('usage: node scripts/containers/engine.mjs COMMAND ARGUMENT…')
  const { environment, close } = await openEngine()
  try {
    process.exitCode = await new Promise((resolve, reject) => {
      const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
      for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
        process.on(signal, () => child.kill(signal))
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 1))
    })
  } finally {
    await close()
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2)).catch((error) => {
    if (!(error instanceof NoEngineError)) throw error
    console.error(error.message)
    process.exitCode = 1
  })
