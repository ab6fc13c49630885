/**
 * `guard`: costs, latencies and rates of this build ÷ those of the stored build of an earlier commit. Both installations run all the
 * time, and each load goes to one and then to the other, so that a change of the machine reaches both.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions, Outcome } from './options.js'
import { startLoad, type LoadGenerator } from './children.js'
import { openJobs } from './jobs.js'
import { labelRows } from './ledger/world.js'
import { LOADS, percentileOf, type LoadPhase } from './load.js'
import { cpuBetween, usesOf, type Uses } from './processes.js'
import { ratioOfRounds, ratioText } from './rounds.js'
import { screensOf } from './run-load.js'
import { newKey, withSystem, type Profile, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const CONNECTIONS = 256
const WARM_UP_SECONDS = 15
const SETTLE_MS = 1_000
/** Leaves and views of what was screened before are made by then. */
const IDLE_AFTER_MS = 30_000
const JOBS = 20
const LABELS = 20_000
/** Jobs and imports take long, and vary little. */
const MOST_LONG_ROUNDS = 3

/** What is shown, with the targets of this build ÷ the earlier one. */
const LINES: readonly (readonly [line: string, targets: Readonly<Record<Profile, string>>])[] = [
  ['50/s: CPU of a screen, ms', { embedded: '≤ 0.5', kafka: '≤ 0.55' }],
  ['200/s: CPU of a screen, ms', { embedded: '≤ 0.4', kafka: '≤ 0.5' }],
  ['64 connections: CPU of a screen, ms', { embedded: '≤ 0.6', kafka: '≤ 0.65' }],
  ['256 connections: CPU of a screen, ms', { embedded: '—', kafka: '—' }],
  ['50/s: p50, ms', { embedded: '—', kafka: '—' }],
  ['50/s: p95, ms', { embedded: '—', kafka: '—' }],
  ['200/s: p50, ms', { embedded: '—', kafka: '—' }],
  ['200/s: p95, ms', { embedded: '≤ 0.4 and ≤ 25 ms', kafka: '≤ 0.7' }],
  ['idle: CPU a second, ms', { embedded: '≤ 0.3', kafka: '≤ 0.4' }],
  ['64 connections: screens/s', { embedded: '—', kafka: '—' }],
  ['256 connections: screens/s', { embedded: '≥ 1.6', kafka: '≥ 2' }],
  [`${JOBS} jobs: addresses/s`, { embedded: '≥ 1.5', kafka: '≥ 1.5' }],
  ['label import: rows/s', { embedded: '≥ 4', kafka: '≥ 4' }],
]

type Build = 'earlier' | 'now'

interface Subject {
  readonly build: Build
  readonly system: RunningSystem
  readonly key: string
  readonly generator: LoadGenerator
}

/** One load on one build. */
export interface Turn {
  readonly build: Build
  readonly round: number
  /** By line. */
  readonly values: Readonly<Record<string, number>>
  readonly cpu: readonly (readonly [name: string, ms: number])[]
  readonly errors: readonly string[]
}
type Measured = Pick<Turn, 'values' | 'cpu' | 'errors'>
type Work = (subject: Subject, round: number) => Promise<Measured>

export async function runGuard(options: BenchOptions): Promise<Outcome> {
  const { before, nodeBefore, rounds, seconds } = options
  if (before === undefined) throw new Error('guard needs the folder of the earlier version')
  const conditions = conditionsOf(options)
  const figures: Partial<Record<Profile, readonly Turn[]>> = {}
  for (const profile of options.profiles)
    figures[profile] = await withSubject(
      { ...options, root: before, node: nodeBefore },
      profile,
      'earlier',
      (one) => withSubject(options, profile, 'now', (other) => measure([one, other], options)),
    )
  const text = `${conditions} ${rounds} rounds, turns of ${seconds} s, medians; ratios with the lowest and the highest of a round. The other build rests meanwhile.`
  const tables = Object.entries(figures).map(([profile, turns]) => renderGuard(profile as Profile, turns))
  return { table: [text, ...tables].join('\n\n'), figures: { conditions, ...figures }, isRight: true }
}

function withSubject<T>(
  options: Parameters<typeof withSystem>[0],
  profile: Profile,
  build: Build,
  work: (subject: Subject) => Promise<T>,
): Promise<T> {
  return withSystem(options, profile, async (system) => {
    const key = await newKey(system, 'Guard')
    const generator = await startLoad(screensOf(system, key, CONNECTIONS))
    try {
      await generator.run({ kind: 'closed', level: 64, seconds: WARM_UP_SECONDS })
      return await work({ build, system, key, generator })
    } finally {
      generator.stop()
    }
  })
}

async function measure(subjects: readonly Subject[], options: BenchOptions): Promise<Turn[]> {
  const wants = (part: string): boolean => options.parts.length === 0 || options.parts.includes(part)
  const turns: Turn[] = []
  /** The one that goes first changes with the round. */
  const byTurns = async (name: string, rounds: number, work: Work): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      options.say(`${subjects[0]!.system.profile}: ${name}, round ${round + 1}`)
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        await pause(SETTLE_MS)
        turns.push({ build: subject.build, round, ...(await work(subject, round)) })
      }
    }
  }
  const { rounds, seconds } = options
  if (wants('idle')) await pause(IDLE_AFTER_MS)
  await byTurns('idle', wants('idle') ? rounds : 0, (subject) => idle(subject, seconds))
  for (const [name, load] of LOADS)
    await byTurns(name, wants('screen') ? rounds : 0, (subject) =>
      screens(subject, name, { ...load, seconds }),
    )
  const longRounds = Math.min(rounds, MOST_LONG_ROUNDS)
  await byTurns('jobs', wants('bulk') ? longRounds : 0, (subject) => jobs(subject, options.size))
  await byTurns('labels', wants('labels') ? longRounds : 0, labels)
  return turns
}

async function idle({ system }: Subject, seconds: number): Promise<Measured> {
  const before = await usesOf(system.pid)
  await pause(seconds * 1_000)
  const cpu = cpuBetween(before, await usesOf(system.pid))
  return { values: { 'idle: CPU a second, ms': sumOf(cpu) / seconds }, cpu, errors: [] }
}

async function screens({ system, generator }: Subject, name: string, phase: LoadPhase): Promise<Measured> {
  await generator.run({ ...phase, seconds: 1 })
  const before: Uses = await usesOf(system.pid)
  const { requests, latenciesMs, perSecond, errorSamples } = await generator.run(phase)
  const cpu = cpuBetween(before, await usesOf(system.pid))
  const values = {
    [`${name}: CPU of a screen, ms`]: sumOf(cpu) / requests,
    [`${name}: p50, ms`]: percentileOf(latenciesMs, 0.5),
    [`${name}: p95, ms`]: percentileOf(latenciesMs, 0.95),
    [`${name}: screens/s`]: perSecond,
  }
  return { values, cpu, errors: errorSamples }
}

async function jobs({ system, key }: Subject, size: number): Promise<Measured> {
  const { submit, ended } = openJobs(system.line.base_url, key)
  const [before, since] = [await usesOf(system.pid), performance.now()]
  for (const id of await Promise.all(Array.from({ length: JOBS }, () => submit(size)))) await ended(id, 100)
  const seconds = (performance.now() - since) / 1_000
  const cpu = cpuBetween(before, await usesOf(system.pid))
  return { values: { [`${JOBS} jobs: addresses/s`]: (JOBS * size) / seconds }, cpu, errors: [] }
}

/** Every round imports a list of its own. */
async function labels({ system }: Subject, round: number): Promise<Measured> {
  const file = join(system.home, `labels-${round}.csv`)
  const rows = labelRows({ transfers: LABELS * 5, labelledEvery: 1 })
  const named = Readable.from(rows).map((row: string) => row.replace('made_up', `made_up_${round}`))
  await pipeline(named, createWriteStream(file))
  const before = await usesOf(system.pid)
  const { json } = await system.cupel('labels', 'import', file, '--format', 'csv')
  const cpu = cpuBetween(before, await usesOf(system.pid))
  return {
    values: { 'label import: rows/s': (LABELS * 1_000) / Number(json['duration_ms']) },
    cpu,
    errors: [],
  }
}

const sumOf = (cpu: Turn['cpu']): number => cpu.reduce((sum, [, ms]) => sum + ms, 0)

const figure = (value: number): string => (value < 100 ? value.toFixed(2) : thousands(value))

export function renderGuard(profile: Profile, turns: readonly Turn[]): string {
  const inOrder = turns.toSorted((one, other) => one.round - other.round)
  const valuesOf = (line: string, build: Build): number[] =>
    inOrder.flatMap((turn) => (turn.build === build && line in turn.values ? [turn.values[line]!] : []))
  const rows = LINES.flatMap(([line, targets]) => {
    const [earlier, now] = [valuesOf(line, 'earlier'), valuesOf(line, 'now')]
    if (now.length === 0) return []
    const [was, is] = [earlier, now].map((values) => figure(percentileOf(values, 0.5)))
    return [[line, was!, is!, ratioText(ratioOfRounds(now, earlier)), targets[profile]]]
  })
  const errors = [
    ...new Set(turns.flatMap(({ build, errors: found }) => found.map((one) => `${build}: ${one}`))),
  ]
  return [
    `### ${profile} profile, ratios to the earlier build`,
    table(['line', 'earlier', 'now', 'now ÷ earlier', 'target'], rows),
    errors.length === 0 ? 'No errors.' : `Errors: ${errors.join('; ')}`,
  ].join('\n\n')
}
