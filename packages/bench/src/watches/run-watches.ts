/**
 * Measures watches: the time after a list change until every affected watch is decided and every webhook has arrived, and the effect on
 * interactive screens. Screens are sent one after another, alone and while the changes are decided.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readUses, type Uses } from '../cost/process-use.js'
import { percentileOf } from '../rounds.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'

export interface WatchesOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Watched addresses. */
  readonly watched: number
  /** Watched addresses that the list names. */
  readonly changes: number
  readonly say: (line: string) => void
}

export interface WatchesResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly watched: number
  readonly changes: number
  /** From the first call until the last one was answered, in seconds. */
  readonly createdSeconds: number
  /** From the first call until every watch had its first report, in seconds. */
  readonly firstReportsSeconds: number
  /** From the end of the import of the list until the last webhook came, in seconds. */
  readonly deliveredSeconds: number
  /** Screenings caused by the list, and those among them that were notified. */
  readonly decided: number
  readonly told: number
  /** CPU seconds by process: until all watches have their first report, and from the import of the list until all is delivered. */
  readonly firstCpu: CpuSeconds
  readonly listCpu: CpuSeconds
  /** p95 of interactive screens, in milliseconds. */
  readonly aloneMs: number
  readonly besideMs: number
}

/** By the name of the process. */
export type CpuSeconds = Readonly<Record<string, number>>

const MAX_PER_CALL = 1_000
const POLL_MS = 250
const SAY_EVERY_SECONDS = 30
const ALONE_SCREENS = 1_000
const REST_LOOK_MS = 2_000
/** Of one core. */
const REST_SHARE = 0.3
const MAX_REST_MS = 600_000
const P95 = 0.95

const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`

export async function runWatches(options: WatchesOptions): Promise<WatchesResults> {
  const { root, profile, watched, changes, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-watches-'))
  process.env['CUPEL_WEBHOOK_ALLOW'] = '127.0.0.0/8'
  const sink = await startSink()
  let system: RunningSystem | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    const key = await enterpriseKey(system, 'Watches')
    const call = caller(system, key)
    await call('POST', '/v1/webhook-endpoints', { url: sink.url })
    await importList(system, home, [0xffff])
    say(`${watched} watches`)
    const idle = await readUses(system.pid)
    const first = await watchAll(system, call, watched, say)
    const settled = await readUses(system.pid)
    say(`at rest after ${(await untilAtRest(system)).toFixed(0)} s`)
    const alone = await screens(call, (done) => done < ALONE_SCREENS)
    say(`a list of ${changes} changes`)
    const before = await reportCount(system)
    const unlisted = await readUses(system.pid)
    await importList(system, home, [0xffff, ...Array.from({ length: changes }, (_, n) => n + 1)])
    const since = performance.now()
    const beside = await screens(call, () => sink.changed.size < changes)
    const deliveredSeconds = (performance.now() - since) / 1_000
    const delivered = await readUses(system.pid)
    const decided = (await reportCount(system)) - before
    // Half of them before and half of them after, so that other work on the machine affects both.
    alone.push(...(await screens(call, (done) => done < ALONE_SCREENS)))
    const aloneMs = percentileOf(alone, P95)
    return {
      ...first,
      ...{
        told: sink.changed.size,
        firstCpu: cpuBetween(idle, settled),
        listCpu: cpuBetween(unlisted, delivered),
      },
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage },
      ...{ profile, watched, changes, deliveredSeconds, decided, aloneMs },
      besideMs: percentileOf(beside, P95),
    }
  } finally {
    await system?.stop()
    await sink.close()
    await rm(home, { recursive: true, force: true })
  }
}

type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

function caller(system: RunningSystem, key: string): Call {
  return async (method, path, body) => {
    const response = await fetch(system.line.base_url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
}

async function importList(system: RunningSystem, home: string, addresses: readonly number[]): Promise<void> {
  const file = join(home, 'changes.csv')
  const header = 'address,chain,category,entity,source,source_url,confidence,observed_at'
  const rows = addresses.map(
    (n) => `${addressOf(n)},ETH,stolen,A Thief,bench_list,https://example.org/list,0.8,2026-11-20`,
  )
  await writeFile(file, `${[header, ...rows].join('\n')}\n`)
  await system.cupel('labels', 'import', file, '--format', 'csv', '--set', 'bench')
}

function cpuBetween(before: Uses, after: Uses): CpuSeconds {
  const names = [...after.keys()].filter((line) => line.startsWith(CPU))
  return Object.fromEntries(
    names.map((line) => [line.slice(CPU.length), (after.get(line)! - (before.get(line) ?? 0)) / 1_000]),
  )
}
const CPU = 'CPU ms: '

/**
 * Seconds until the installation uses little processor time: until read models and the transparency log have processed the first
 * reports. Otherwise that work would add to the times of screens.
 */
async function untilAtRest(system: RunningSystem): Promise<number> {
  const since = performance.now()
  for (let before = await readUses(system.pid); performance.now() - since < MAX_REST_MS;) {
    await sleep(REST_LOOK_MS)
    const after = await readUses(system.pid)
    const busyMs = Object.values(cpuBetween(before, after)).reduce((sum, seconds) => sum + seconds * 1_000, 0)
    if (busyMs < REST_LOOK_MS * REST_SHARE) break
    before = after
  }
  return (performance.now() - since) / 1_000
}

/** Seconds until all calls were answered, and until every watch has been decided. */
async function watchAll(
  system: RunningSystem,
  call: Call,
  watched: number,
  say: (line: string) => void,
): Promise<Pick<WatchesResults, 'createdSeconds' | 'firstReportsSeconds'>> {
  const since = performance.now()
  const seconds = (): number => (performance.now() - since) / 1_000
  for (let from = 1; from <= watched; from += MAX_PER_CALL) {
    const count = Math.min(MAX_PER_CALL, watched - from + 1)
    const watches = Array.from({ length: count }, (_, n) => ({ address: addressOf(from + n), chain: 'ETH' }))
    await call('POST', '/v1/watches', { watches })
  }
  const createdSeconds = seconds()
  say(`made after ${createdSeconds.toFixed(0)} s`)
  for (let next = 1; (await reportCount(system)) < watched;) {
    await sleep(POLL_MS)
    if (seconds() < next * SAY_EVERY_SECONDS) continue
    next += 1
    say(`${await reportCount(system)} decided after ${seconds().toFixed(0)} s`)
  }
  return { createdSeconds, firstReportsSeconds: seconds() }
}

/** Latencies of screens one after another, in milliseconds, while `isWanted`. */
async function screens(call: Call, isWanted: (done: number) => boolean): Promise<number[]> {
  const latenciesMs: number[] = []
  for (let n = 0; isWanted(n) || n === 0; n += 1) {
    const since = performance.now()
    await call('POST', '/v1/screen', { address: addressOf(0x10_000_000 + n), chain: 'ETH' })
    latenciesMs.push(performance.now() - since)
  }
  return latenciesMs
}

/** Decisions of watched addresses so far, as the coordinator counts them. */
async function reportCount(system: RunningSystem): Promise<number> {
  let count = 0
  for (const url of system.line.metrics_urls) {
    const text = await (await fetch(url)).text()
    count += Number(/^\w*watches_decided_total(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0)
  }
  return count
}

/** A receiver that accepts everything and keeps the addresses that changed. */
async function startSink() {
  const changed = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as {
        type: string
        data: { address: string }
      }
      if (message.type === 'report.changed') changed.add(message.data.address)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changed,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
