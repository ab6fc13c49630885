/**
 * `load`: screens under open and closed loops, with the floor of the log measured in the turn before; CPU per screen by process; then
 * bulk jobs, and screens while sixteen accounts have jobs.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { benchmarkBodies } from './addresses.js'
import type { BenchOptions, Outcome } from './options.js'
import { generateLoad, startChild, type LoadTarget } from './children.js'
import { openJobs, type Jobs } from './jobs.js'
import { LOADS, percentilesOf, type LoadPhase, type LoadResult } from './load.js'
import { newPrefix, runningLog } from './log-connection.js'
import { cpuBetween, usesOf, type Uses } from './processes.js'
import { newKey, withSystem, type Profile, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const OPEN_LOOP_CONNECTIONS = 128
const SINGLE_JOBS = 5
const SUSTAINED_JOBS = 20
const ACCOUNTS = 16
const JOBS_PER_ACCOUNT = 10
const LOOK_MS = 20
/** How long bulk jobs run before the measured screens begin. */
const HEAD_START_MS = 2_000

interface LoadRow {
  readonly name: string
  readonly floor: LoadResult | null
  readonly screen: LoadResult | null
  /** CPU milliseconds of a screen, by process. */
  readonly cpu: readonly (readonly [name: string, ms: number])[]
}

interface BulkFigures {
  readonly singleMs: readonly number[]
  readonly addressesPerSecond: number
  readonly quiet: LoadResult
  readonly loaded: LoadResult
  readonly loadedAddressesPerSecond: number
  readonly fairness: number
}

interface ProfileFigures {
  readonly profile: Profile
  readonly readyAfterMs: number
  readonly rows: readonly LoadRow[]
  readonly bulk: BulkFigures | null
  readonly memory: readonly (readonly [name: string, mib: number])[]
}

const wants = ({ parts }: BenchOptions, part: string): boolean => parts.length === 0 || parts.includes(part)

export async function runLoad(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const profiles: ProfileFigures[] = []
  for (const profile of options.profiles)
    profiles.push(await withSystem(options, profile, (system) => measure(system, options)))
  const text = [
    `${conditions} Phases of ${options.seconds} s; starter labels; milliseconds.`,
    ...profiles.map(renderProfile),
  ]
  return { table: text.join('\n\n'), figures: { conditions, profiles }, isRight: true }
}

async function measure(system: RunningSystem, options: BenchOptions): Promise<ProfileFigures> {
  const { seconds, say } = options
  const target = screensOf(system, await newKey(system, 'Load'))
  const rows: LoadRow[] = []
  if (wants(options, 'screen')) {
    say(`${system.profile}: warm-up`)
    const warm: LoadPhase = { kind: 'closed', level: 64, seconds: Math.min(60, 3 * seconds) }
    await generateLoad(target, { ...warm, seconds: 1 }, warm)
  }
  for (const [name, load] of LOADS) {
    if (!['floor', 'screen'].some((part) => wants(options, part))) break
    const phase: LoadPhase = { ...load, seconds }
    say(`${system.profile}: ${name}`)
    rows.push({
      name,
      floor: wants(options, 'floor') ? await floorOf(system, phase) : null,
      ...(wants(options, 'screen') ? await screenOf(system, target, phase) : { screen: null, cpu: [] }),
    })
  }
  if (wants(options, 'bulk')) say(`${system.profile}: bulk jobs`)
  const bulk = wants(options, 'bulk') ? await bulkOf(system, options) : null
  const memory = [...(await usesOf(system.pid))].flatMap(([name, { peakMib }]) =>
    peakMib === 0 ? [] : [[name, peakMib] as const],
  )
  return { profile: system.profile, readyAfterMs: system.readyAfterMs, rows, bulk, memory }
}

export function screensOf(
  system: RunningSystem,
  key: string,
  connections = OPEN_LOOP_CONNECTIONS,
): LoadTarget & { readonly kind: 'http' } {
  return { kind: 'http', baseUrls: system.line.base_urls, key, bodies: benchmarkBodies(), connections }
}

export const warmUpOf = (phase: LoadPhase): LoadPhase => ({ ...phase, seconds: Math.min(6, phase.seconds) })

async function floorOf({ home }: RunningSystem, phase: LoadPhase): Promise<LoadResult> {
  const log = await runningLog(home, newPrefix())
  const echo = log.kind === 'kafka' ? await startChild({ role: 'echo', log }) : null
  const result = generateLoad({ kind: 'floor', log, echoInside: echo === null }, warmUpOf(phase), phase)
  return await result.finally(() => echo?.kill('SIGTERM'))
}

async function screenOf(
  system: RunningSystem,
  target: LoadTarget & { readonly kind: 'http' },
  phase: LoadPhase,
): Promise<Pick<LoadRow, 'screen' | 'cpu'>> {
  const connections = phase.kind === 'closed' ? phase.level : OPEN_LOOP_CONNECTIONS
  let before: Uses = new Map()
  const screen = await generateLoad({ ...target, connections }, warmUpOf(phase), phase, async () => {
    before = await usesOf(system.pid)
  })
  const spent = cpuBetween(before, await usesOf(system.pid))
  return { screen, cpu: spent.map(([name, ms]) => [name, ms / Math.max(1, screen.requests)] as const) }
}

async function bulkOf(
  system: RunningSystem,
  { seconds, perSecond, size }: BenchOptions,
): Promise<BulkFigures> {
  const accounts: Jobs[] = []
  for (let n = 0; n < ACCOUNTS; n += 1)
    accounts.push(openJobs(system.line.base_url, await newKey(system, `Bulk ${n}`)))
  const [first] = accounts as [Jobs, ...Jobs[]]
  const singleMs: number[] = []
  for (let n = 0; n < SINGLE_JOBS; n += 1) {
    const since = performance.now()
    await first.ended(await first.submit(size), LOOK_MS)
    singleMs.push(Math.round(performance.now() - since))
  }
  const since = performance.now()
  const many = await Promise.all(Array.from({ length: SUSTAINED_JOBS }, () => first.submit(size)))
  for (const jobId of many) await first.ended(jobId, 10 * LOOK_MS)
  const addressesPerSecond = (SUSTAINED_JOBS * size * 1_000) / (performance.now() - since)
  const screens = await whileJobsRun(system, accounts, size, { kind: 'open', level: perSecond, seconds })
  return { singleMs, addressesPerSecond, ...screens }
}

async function whileJobsRun(
  system: RunningSystem,
  accounts: readonly Jobs[],
  size: number,
  phase: LoadPhase,
): Promise<Omit<BulkFigures, 'singleMs' | 'addressesPerSecond'>> {
  const target = screensOf(system, await newKey(system, 'Interactive'))
  const quiet = await generateLoad(target, warmUpOf(phase), phase)
  const running = await Promise.all(
    accounts.map((jobs) => Promise.all(Array.from({ length: JOBS_PER_ACCOUNT }, () => jobs.submit(size)))),
  )
  const completed = (): Promise<number[]> =>
    Promise.all(
      accounts.map(async (jobs, account) => {
        const states = await Promise.all(running[account]!.map((jobId) => jobs.get(jobId)))
        return states.reduce((sum, job) => sum + job.completed, 0)
      }),
    )
  await pause(HEAD_START_MS)
  const [before, since] = [await completed(), performance.now()]
  const loaded = await generateLoad(target, { ...phase, seconds: 1 }, phase)
  const took = (performance.now() - since) / 1_000
  const shares = (await completed()).map((count, account) => count - before[account]!)
  await Promise.all(accounts.flatMap((jobs, account) => running[account]!.map((id) => jobs.cancel(id))))
  const all = shares.reduce((sum, share) => sum + share, 0)
  return { quiet, loaded, loadedAddressesPerSecond: all / took, fairness: jainsIndex(shares) }
}

/** (Σx)² / (n · Σx²), Jain, Chiu and Hawe 1984: 1 if all got the same, 1/n if one got everything; 1 if all are zero. */
export function jainsIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares)
}

function renderProfile({ profile, readyAfterMs, rows, bulk, memory }: ProfileFigures): string {
  const rate = (result: LoadResult | null): string => (result === null ? '—' : thousands(result.perSecond))
  const head = ['load', 'floor p50 / p95 / p99 / max', 'screen', 'floor, screens /s', 'errors']
  const loads = rows.map(({ name, floor, screen }) => [
    ...[name, percentilesOf(floor), percentilesOf(screen)],
    ...[[floor, screen].map(rate).join(', '), screen?.errors ?? '—'],
  ])
  const others = [
    ...rows.flatMap(({ name, cpu }) =>
      cpu.length === 0 ? [] : [[`CPU per screen at ${name}`, cpuText(cpu)]],
    ),
    ['first start in an empty folder, until ready', `${(readyAfterMs / 1_000).toFixed(1)} s`],
    ['peak resident memory', memory.map(([name, mib]) => `${name} ${mib} MiB`).join(', ')],
    ...(bulk === null ? [] : bulkRows(bulk)),
  ]
  return [
    `### ${profile === 'kafka' ? 'Kafka profile' : 'Embedded profile'}`,
    ...(loads.length === 0 ? [] : [table(head, loads)]),
    table(['what', 'measured'], others),
  ].join('\n\n')
}

/** Without processes that take less than a hundredth. docs/capacity.md is calculated from this line. */
function cpuText(cpu: LoadRow['cpu']): string {
  const total = cpu.reduce((sum, [, ms]) => sum + ms, 0)
  const parts = cpu.filter(([, ms]) => ms > total / 100).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`)
  return `${total.toFixed(2)} ms: ${parts.join(', ')}`
}

function bulkRows(bulk: BulkFigures): string[][] {
  const sorted = bulk.singleMs.toSorted((one, other) => one - other)
  return [
    ['a job, POST to ended, median / worst', `${sorted[sorted.length >> 1]} / ${sorted.at(-1)} ms`],
    [`${SUSTAINED_JOBS} jobs of one account`, `${thousands(bulk.addressesPerSecond)} addresses/s`],
    ['screens without jobs, p50 / p95 / p99 / max', percentilesOf(bulk.quiet)],
    [`screens while ${ACCOUNTS} accounts have ${JOBS_PER_ACCOUNT} jobs each`, percentilesOf(bulk.loaded)],
    [
      'jobs meanwhile, fairness of the accounts (Jain)',
      `${thousands(bulk.loadedAddressesPerSecond)} addresses/s, ${bulk.fairness.toFixed(4)}`,
    ],
  ]
}
