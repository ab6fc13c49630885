/**
 * `neighbours`: the effect of others on a customer: p95 of its screens in quiet turns, and while strangers send bodies or another
 * customer reads at the full rate of its plan. Each case has rounds of three turns with the same arrivals.
 */
import { constants, setPriority } from 'node:os'
import type { BenchOptions, Outcome } from './options.js'
import { startLoad, type LoadGenerator } from './children.js'
import { beginGets, beginStrangers, type Intrusion } from './intruders.js'
import { openJobs } from './jobs.js'
import { compareRounds, ratioText, turnsOfRound, type Comparison, type TurnKind } from './rounds.js'
import { screensOf } from './run-load.js'
import { newKey, withSystem, type RunningSystem } from './system.js'
import { conditionsOf, table } from './table.js'

const STRANGERS = 8
/** Refill of the plan pro, calls a second. */
const PRO_PER_SECOND = 10
const LOOK_MS = 100
const WARM_UP_SECONDS = 10
/** Intruders begin, or the previous turn still has its effect. */
const SETTLE_SECONDS = 0.5
const P95 = 0.95
/** Seed for the arrivals of the first round. Each round has another one, and all its turns the same. */
const FIRST_SEED = 20_261_123

interface Case {
  readonly name: string
  begin(): Intrusion
}

interface Row {
  readonly name: string
  readonly screens: Comparison
  readonly errors: number
  /** Answers to the intruders a second, by status. */
  readonly answers: Readonly<Record<string, number>>
}

export async function runNeighbours(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const { rounds, seconds, perSecond, parts } = options
  const rows = await withSystem(options, options.profiles[0]!, async (system) => {
    const asked = (await casesOf(system, options)).filter(
      ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
    )
    const victim = await startLoad(screensOf(system, await newKey(system, 'Victim')))
    await victim.run({ kind: 'open', level: perSecond, seconds: WARM_UP_SECONDS })
    // This process makes the calls of the intruders, in place of other machines. At low priority it takes no time from the others.
    setPriority(constants.priority.PRIORITY_LOW)
    const found: Row[] = []
    for (const one of asked) found.push(await measure(victim, one, options))
    victim.stop()
    return found
  })
  const text = `${conditions} ${options.profiles[0]} profile; ${rounds} rounds of three turns of ${seconds} s for each row; ${perSecond} screens a second. Target: p95 with the neighbour ÷ quiet is 1.10 at most. Ratios are medians of the rounds. Noise: one quiet turn ÷ the other. In brackets: the range of the rounds.`
  const head = ['neighbour', 'p95 quiet', 'p95 with it', 'ratio', 'noise', 'answers a second', 'errors']
  return {
    table: `${text}\n\n${table(head, rows.map(cellsOf))}`,
    figures: { conditions, rows },
    isRight: true,
  }
}

const cellsOf = ({ name, screens, answers, errors }: Row): string[] => [
  ...[name, `${screens.quietMs.toFixed(1)} ms`, `${screens.loadedMs.toFixed(1)} ms`],
  ...[ratioText(screens.effect), ratioText(screens.noise)],
  Object.entries(answers)
    .map(([status, rate]) => `${rate} × ${status === '0' ? 'none' : status}`)
    .join(', '),
  String(errors),
]

async function measure(
  victim: LoadGenerator,
  { name, begin }: Case,
  { rounds, perSecond, seconds, say }: BenchOptions,
): Promise<Row> {
  const turns: Record<TurnKind, (readonly number[])[]> = { one: [], other: [], loaded: [] }
  const answers: Record<string, number> = {}
  let errors = 0
  const take = async (kind: TurnKind, round: number): Promise<readonly number[]> => {
    const intrusion = kind === 'loaded' ? begin() : null
    const seed = FIRST_SEED + round
    const turn = await victim.run({
      ...{ kind: 'open', level: perSecond, seconds, seed, settleSeconds: SETTLE_SECONDS },
    })
    const answered = (await intrusion?.stop()) ?? []
    if (round < 0) return []
    errors += turn.errors
    for (const [status, count] of answered)
      answers[status] = Math.round(10 * ((answers[status] ?? 0) + count / (rounds * seconds))) / 10
    return turn.latenciesMs
  }
  // The first read costs more.
  await take('loaded', -1)
  for (let round = 0; round < rounds; round += 1)
    for (const kind of turnsOfRound(round)) turns[kind].push(await take(kind, round))
  const screens = compareRounds(turns, P95)
  say(`${name}: ${ratioText(screens.effect)}, noise ${ratioText(screens.noise)}`)
  return { name, screens, errors, answers }
}

/** The floor is `health`, which reads nothing: the time of the caller itself and of an HTTP call on the same cores. */
async function casesOf(system: RunningSystem, { size }: BenchOptions): Promise<Case[]> {
  const key = await newKey(system, 'Greedy', 'pro')
  const baseUrl = system.line.base_url
  const jobs = openJobs(baseUrl, key)
  const jobId = await jobs.submit(size)
  await jobs.ended(jobId, LOOK_MS)
  const page = await fetch(`${baseUrl}/v1/bulk/${jobId}/results?page_size=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { items } = (await page.json()) as { items: { report: { report_id: string } }[] }
  const results = `/v1/bulk/${jobId}/results`
  const reads: readonly (readonly [name: string, path: string, accept: string])[] = [
    ['health', '/healthz', 'application/json'],
    ['table of a job', results, 'text/csv'],
    ['lines of a job', results, 'application/x-ndjson'],
    ['inline job', `/v1/bulk/${jobId}`, 'application/json'],
    ['state of a job', `/v1/bulk/${jobId}?results=none`, 'application/json'],
    ['200 results, worst first', `${results}?page_size=200&sort=risk`, 'application/json'],
    ['200 audit records', '/v1/audit-log?page_size=200', 'application/json'],
    ['PDF of a job', `/v1/bulk/${jobId}/pdf`, 'application/pdf'],
    ['PDF of a report', `/v1/reports/${items[0]!.report.report_id}/pdf`, 'application/pdf'],
  ]
  return [
    { name: `${STRANGERS} strangers with bodies of 1 MiB`, begin: () => beginStrangers(baseUrl, STRANGERS) },
    ...reads.map(([name, path, accept]) => ({
      name,
      begin: () => beginGets(baseUrl, key, { path, accept }, PRO_PER_SECOND),
    })),
  ]
}
