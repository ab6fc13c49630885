/**
 * `neighbours`: the effect of others on a customer: the median and p95 of its screens in quiet turns, and while strangers send bodies or
 * sign-ins, or another customer begins sessions or reads at the full rate of its plan. There is a case for each read that can cost more than
 * a few milliseconds. Each case has rounds of three turns with the same arrivals.
 */
import { constants, setPriority } from 'node:os'
import type { BenchOptions, Outcome } from './options.js'
import { startLoad, type LoadGenerator } from './children.js'
import { startIdentityProvider, type IdentityProvider } from '@cupel/testkit'
import { costlyGets, readDescription, readsOf } from './costly-gets.js'
import { beginCalls, beginGets, beginStrangers, getOnce, type Intrusion } from './intruders.js'
import { callApi, newAddress, openJobs } from './jobs.js'
import { processorMs } from './processes.js'
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
const [P50, P95] = [0.5, 0.95]
/** The median of a screen with a neighbour ÷ without. */
const TARGET = 1.1
/** The floor: it reads nothing. */
const FLOOR = { path: '/healthz', accept: 'application/json' }
/** Screens with a reference of the greedy customer, in which it searches; as many transfers, watches and cases. */
const REFERENCES = 200
/** Seed for the arrivals of the first round. Each round has another one, and all its turns the same. */
const FIRST_SEED = 20_261_123

interface Case {
  readonly name: string
  begin(): Intrusion
}

interface Row {
  readonly name: string
  readonly medians: Comparison
  readonly tails: Comparison
  readonly errors: number
  /** Answers to the intruders a second, by status. */
  readonly answers: Readonly<Record<string, number>>
}

export async function runNeighbours(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const { rounds, seconds, perSecond, parts } = options
  const people = await startIdentityProvider()
  // No group has a key: every sign-in is verified and refused.
  const environment = { CUPEL_OIDC_FILE: people.settingsFile({ nobody: 'AAAAAAAA' }) }
  const rows = await withSystem({ ...options, environment }, options.profiles[0]!, async (system) => {
    const asked = (await casesOf(system, people, options)).filter(
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
  }).finally(() => people.close())
  const above = rows.filter(({ medians }) => medians.effect.median > TARGET).map(({ name }) => name)
  const text = `${conditions} ${options.profiles[0]} profile; ${rounds} rounds of three turns of ${seconds} s for each row; ${perSecond} screens a second. Target: the median with the neighbour ÷ quiet is ${TARGET.toFixed(2)} at most; above it: ${above.length === 0 ? 'none' : above.join(', ')}. Ratios are medians of the rounds. Noise: one quiet turn ÷ the other. In brackets: the range of the rounds.`
  const ratios = ['p50 ratio', 'p50 noise', 'p95 ratio', 'p95 noise']
  const head = ['neighbour', 'p50 quiet', 'p50 with it', ...ratios, 'answers a second', 'errors']
  return {
    table: `${text}\n\n${table(head, rows.map(cellsOf))}`,
    figures: { conditions, rows, above },
    isRight: true,
  }
}

const cellsOf = ({ name, medians, tails, answers, errors }: Row): string[] => [
  ...[name, `${medians.quietMs.toFixed(1)} ms`, `${medians.loadedMs.toFixed(1)} ms`],
  ...[medians, tails].flatMap(({ effect, noise }) => [ratioText(effect), ratioText(noise)]),
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
  const [medians, tails] = [compareRounds(turns, P50), compareRounds(turns, P95)]
  say(`${name}: ${ratioText(medians.effect)}, noise ${ratioText(medians.noise)}`)
  return { name, medians, tails, errors, answers }
}

/** The floor is `health`, which reads nothing: the time of the caller itself and of an HTTP call on the same cores. */
async function casesOf(
  system: RunningSystem,
  people: IdentityProvider,
  { size, root, say }: BenchOptions,
): Promise<Case[]> {
  const [key, reader] = [await newKey(system, 'Greedy', 'pro'), await newKey(system, 'Reader')]
  const baseUrl = system.line.base_url
  const costs = await costlyGets(
    [FLOOR, ...readsOf(readDescription(root), await fill(baseUrl, reader, size))],
    (read) => getOnce(baseUrl, reader, read),
    () => processorMs(system.pid),
  )
  for (const { name, medianMs } of costs) say(`${name}: ${medianMs.toFixed(1)} ms of the processors`)
  const sessions = async (path: string, body: object): Promise<number> => {
    const response = await callApi(`${baseUrl}/v1/sessions${path}`, key, body)
    await response.body?.cancel()
    return response.status
  }
  const signIn = async () => await sessions('/oidc', await people.signIn({ groups: [] }))
  return [
    { name: `${STRANGERS} strangers with bodies of 1 MiB`, begin: () => beginStrangers(baseUrl, STRANGERS) },
    { name: 'sign-ins of a person without a group', begin: () => beginCalls(signIn, PRO_PER_SECOND) },
    { name: 'sessions of a key', begin: () => beginCalls(() => sessions('', {}), PRO_PER_SECOND) },
    ...[{ name: 'health', ...FLOOR }, ...costs].map(({ name, ...read }) => ({
      name,
      begin: () => beginGets(baseUrl, reader, read, PRO_PER_SECOND),
    })),
  ]
}

/** Gives the customer a job and reports with references. Returns values for the parameters of reads. */
async function fill(baseUrl: string, key: string, size: number): Promise<Readonly<Record<string, string>>> {
  const jobs = openJobs(baseUrl, key)
  const jobId = await jobs.submit(size)
  await jobs.ended(jobId, LOOK_MS)
  const made = async (path: string, body?: object): Promise<Readonly<Record<string, string>>> => {
    const answer = await callApi(baseUrl + path, key, body)
    return (answer.ok ? await answer.json() : {}) as Readonly<Record<string, string>>
  }
  const watches: { readonly address: string }[] = []
  let [reportId, transferId] = ['', '']
  for (let at = 0; at < REFERENCES; at += 1) {
    const [address, reference] = [newAddress(), `customer ${at % 10}`]
    reportId = (await made('/v1/screen', { address, customer_reference: reference }))['report_id'] ?? reportId
    await made(`/v1/reports/${reportId}/notes`, { text: 'A refund' })
    const stated = { chain: 'ETH', direction: 'incoming', asset: 'ETH', amount: '1', reference }
    const transfer = await made('/v1/transfers', { ...stated, from: address, to: newAddress() })
    transferId = transfer['transfer_id'] ?? transferId
    watches.push({ address })
  }
  await made('/v1/watches', { watches })
  const { items } = (await made('/v1/watches')) as { items?: readonly { readonly watch_id: string }[] }
  const share = await made(`/v1/reports/${reportId}/share-links`, {})
  return {
    ...{ job_id: jobId, report_id: reportId, address: watches.at(-1)!.address, subject_id: reportId },
    ...{ customer_reference: 'customer 1', reference: 'customer 1', transfer_id: transferId },
    ...{
      watch_id: items?.[0]?.watch_id ?? '',
      token: share['token'] ?? '',
      code: 'rate_limited',
      q: 'score',
    },
    ...{ chain: 'ETH', from: '2020-01-01T00:00:00Z', to: new Date(Date.now() + 86_400_000).toISOString() },
    ...{ route: '/v1/screen', client_address: '127.0.0.1' },
  }
}
