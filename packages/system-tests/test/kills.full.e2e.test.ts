/**
 * Kills services, broker and database with kill -9 under load, from a printed seed. Every report answered with 200 can be read
 * unchanged, is in the audit log and can be decided again. No report id stands for two reports, nothing accepted is lost, and work continues
 * after each kill.
 */
import { casesWithin, noteSkip, runSeed } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { effectiveReports, readTopic } from '../src/kafka-log.js'
import { startLoad } from '../src/load.js'
import type { Victim } from '../src/process-tree.js'
import { seededRandom } from '../src/random.js'
import { until } from '../src/until.js'

/** Number of kills without a time budget; the minimum kills each process once. */
const FULL_KILLS = 200
const order: [Victim, ...Victim[]] = [
  ...(['scorer', 'api', 'projector', 'bulk-coordinator', 'webhook-dispatcher'] as const),
  ...(['postgres', 'kafka', 'registry'] as const),
]
/** Only a process that does not recover takes longer. The test prints each recovery time. */
const RECOVERY_MS = 120_000
const READABLE_MS = 120_000
const SCREENS_PER_SECOND = 40
// Sanctioned addresses named by OFAC (Lazarus Group, SUEX, Garantex); the starter labels include them.
const LABELLED = ['0x098B716B8Aaf21512996dC57EB0615e2383E2f96'] as const

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`kills on the Kafka profile: ${missing}`)

describe.skipIf(missing !== undefined)('the Kafka profile under kill -9', () => {
  const seed = runSeed()
  const random = seededRandom(seed)
  const home = createHome()
  let installation: Installation
  // The load uses this key and also reads the reports back with it.
  let key: string

  beforeAll(async () => {
    installation = await startInstallation({ kafka: true, processes: true, scale: 'api=2,scorer=2', home })
    key = await enterpriseKey(home)
  })
  afterAll(async () => {
    await installation?.stop()
    removeHome(home)
  })

  test(
    'kills lose nothing that was answered or accepted',
    async () => {
      const load = startLoad({
        baseUrls: installation.ready.base_urls,
        key,
        perSecond: SCREENS_PER_SECOND,
        random,
        addresses: LABELLED,
      })
      const recoveries: { victim: Victim; ms: number }[] = []
      const suite = { name: 'kills', full: FULL_KILLS, minimum: order.length }
      for (const kill of casesWithin(suite, seed)) {
        const victim = kill < order.length ? order[kill]! : random.pick(order)
        const pids = await until(`a running ${victim}`, RECOVERY_MS, async () => {
          const found = installation.pids(victim)
          return found.length > 0 ? found : null
        })
        const killedAt = Date.now()
        process.kill(pids[random.below(pids.length)]!, 'SIGKILL')
        const steadyAt = await until(`steady answers after ${victim} was killed`, RECOVERY_MS, async () =>
          load.steadySince(killedAt),
        )
        recoveries.push({ victim, ms: steadyAt - killedAt })
      }
      await load.stop()
      process.stdout.write(`kills: ${summary(recoveries)}; statuses ${JSON.stringify([...load.statuses])}\n`)

      expect(load.offences).toEqual([])
      expect(load.answered.size).toBeGreaterThan(recoveries.length * 10)
      await expectEveryReportReadable(load.answered, load.promised)
      await expectTopicsConsistent(load.answered)
      await expectEveryAnswerAudited(load.answered)
      for (const proof of ['verify', 'recompute']) {
        const { exitCode, stdout } = await cupel(home, ['audit', proof])
        expect(exitCode, stdout).toBe(0)
      }
    },
    60 * 60_000,
  )

  async function expectEveryReportReadable(
    answered: ReadonlyMap<string, string>,
    promised: ReadonlySet<string>,
  ): Promise<void> {
    const client = createClient(installation.ready.base_urls, key)
    const read = (id: string) =>
      until(`report ${id}`, READABLE_MS, async () => {
        const answer = await client.report(id)
        return answer.status === 200 ? answer.text : null
      })
    const differing: string[] = []
    for (const [id, text] of answered) if ((await read(id)) !== text) differing.push(id)
    const broken: string[] = []
    for (const id of promised)
      await read(id).catch((error: unknown) => broken.push(`${id}: ${String(error)}`))
    await client.close()
    expect({ differing, broken }).toEqual({ differing: [], broken: [] })
  }

  /** Events that the log did not acknowledge in time reach it through the outbox. */
  async function expectEveryAnswerAudited(answered: ReadonlyMap<string, string>): Promise<void> {
    let unrecorded: string[] = []
    await until('every answer in the audit log', READABLE_MS, async () => {
      // The request event records a screen, unless the answer was not the screen's report.
      const requests = await readTopic(installation.ready, 'screening.screen.events.v1')
      const calls = await readTopic(installation.ready, 'access.request.events.v1')
      const subjects = new Set([
        ...requests.flatMap(({ key, value }) => (value['call'] === null ? [] : [key])),
        ...calls.flatMap(({ value }) => value['subjectIds'] as readonly string[]),
      ])
      unrecorded = [...answered.keys()].filter((id) => !subjects.has(id))
      return unrecorded.length === 0
    }).catch(() => undefined)
    expect(unrecorded).toEqual([])
  }

  async function expectTopicsConsistent(answered: ReadonlyMap<string, string>): Promise<void> {
    const requests = [
      ...(await readTopic(installation.ready, 'screening.screen.events.v1')),
      ...(await readTopic(installation.ready, 'screening.bulk-screen.events.v1')),
    ]
    const effective = effectiveReports(await readTopic(installation.ready, 'screening.report.events.v1'))
    const eventIds = new Map<string, Set<string>>()
    for (const request of requests)
      eventIds.set(request.key, (eventIds.get(request.key) ?? new Set()).add(request.id))
    expect([...eventIds].filter(([, ids]) => ids.size !== 1)).toEqual([])
    expect([...eventIds.keys()].filter((id) => !effective.has(id))).toEqual([])
    expect(
      [...answered].filter(([id, text]) => effective.get(id)?.value['report'] !== text).map(([id]) => id),
    ).toEqual([])
  }
})

function summary(recoveries: readonly { victim: Victim; ms: number }[]): string {
  const worst = new Map<Victim, { kills: number; worstMs: number }>()
  for (const { victim, ms } of recoveries) {
    const known = worst.get(victim) ?? { kills: 0, worstMs: 0 }
    worst.set(victim, { kills: known.kills + 1, worstMs: Math.max(known.worstMs, ms) })
  }
  return [...worst]
    .map(([victim, { kills, worstMs }]) => `${victim} ${kills}× (steady again after at most ${worstMs} ms)`)
    .join(', ')
}
