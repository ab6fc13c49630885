/** Every failpoint is visited once: the process dies there as in a power cut, comes back, and nothing promised is broken. */
import { failpointNames, type FailpointName } from '@cupel/failpoints'
import { noteSkip } from '@cupel/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { firedPoints, pointsByFault, sides } from '../src/fired-points.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { startLoad } from '../src/load.js'
import { runSeed, seededRandom } from '../src/random.js'
import { until } from '../src/until.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`failpoints on the Kafka profile: ${missing}`)
const LABELLED = ['0x098B716B8Aaf21512996dC57EB0615e2383E2f96'] as const

/**
 * Points that are visited while the system answers screens, with the visit at which a process dies: spread, so that services
 * die one after another, and sooner where visits are rarer. A service that comes back begins to count anew.
 */
const underLoad = {
  'access.admit': 50,
  'api.screen-requested': 90,
  'scorer.report-generated': 100,
  'scorer.checkpoint': 15,
  'projector.batch': 100,
} as const satisfies Partial<Record<FailpointName, number>>
/** The second side of a point is reached this many visits later. */
const BETWEEN_SIDES = 10

/** Points that a command visits: the command dies, a repeat succeeds. */
const byCommand: Partial<Record<FailpointName, readonly string[]>> = {
  'labels.append': ['labels', 'import', 'LABELS', '--format', 'csv', '--set', 'SET'],
  'labels.publish': ['labels', 'import', 'LABELS', '--format', 'csv', '--set', 'SET'],
  'access.change': ['accounts', 'create', 'Failpoint Ltd'],
  'projector.rebuild-batch': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-compare': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-switch': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-drop': ['audit', 'replay', '--target', 'report-view'],
}

/** Points that the first start of an installation visits. */
const atFirstStart = [
  'log.migrate',
  'log.genesis',
  'schemas.register',
  'policy.activate',
  'projector.install-tables',
  'outbox.relay',
  'outbox.mark-relayed',
] as const satisfies readonly FailpointName[]

/** Points that are visited where no screen is ready in time. */
const whenLate = ['api.pending-noted', 'api.request-audited'] as const satisfies readonly FailpointName[]

/** Screens at once: what a demo key may send, and more than can be answered within 10 ms. */
const BURST = 50
/** Longer than any lease, and than a busy machine needs. */
const RECOVERY_MS = 60_000

describe.skipIf(missing !== undefined)('the Kafka profile dying at every failpoint', () => {
  const home = createHome()
  const fired = join(home, 'fired')
  const seed = runSeed()
  let installation: Installation | undefined

  afterAll(async () => {
    await installation?.stop()
    removeHome(home)
  })

  test('services die at each of their points once under load and lose nothing', async () => {
    process.stdout.write(`failpoints: seed ${seed}\n`)
    const points = Object.entries(underLoad).flatMap(([name, visit]) =>
      sides.map((side, second) => `${side}:${name}:${visit + BETWEEN_SIDES * second}`),
    )
    installation = await startInstallation({
      kafka: true,
      home,
      environment: { CUPEL_FAILPOINT: points.join(','), CUPEL_FAILPOINT_FIRED: fired },
    })
    const key = await enterpriseKey(home)
    const load = startLoad({
      baseUrls: installation.ready.base_urls,
      key,
      perSecond: 40,
      random: seededRandom(seed),
      addresses: LABELLED,
    })
    await until('a visit to every point', 300_000, async () => firedPoints(fired).length >= points.length)
    const afterTheLast = Date.now()
    await until('steady answers', 120_000, async () => load.steadySince(afterTheLast))
    await load.stop()

    expect(firedPoints(fired)).toEqual(points.map((point) => point.replace(/:\d+$/, '')).sort())
    expect(load.offences).toEqual([])
    const client = createClient(installation.ready.base_urls, key)
    // What reads the log died too: until it has caught up, a report may be neither found nor denied.
    const read = (id: string) =>
      until(`report ${id}`, RECOVERY_MS, async () => {
        const answer = await client.report(id)
        return answer.status === 200 ? answer.text : null
      })
    for (const [id, text] of load.answered) expect(await read(id)).toBe(text)
    for (const id of load.promised) await read(id)
    await client.close()
  }, 900_000)

  test.each(
    Object.entries(byCommand).flatMap(([name, args]) =>
      sides.map((side) => ({ point: `${side}:${name}`, args })),
    ),
  )('a command that dies at $point succeeds when repeated', async ({ point, args }) => {
    const labels = join(home, 'labels.csv')
    writeFileSync(labels, LABEL_FILE)
    // A set of its own, so that there is something to append whatever was imported before.
    const replaced: Record<string, string> = { LABELS: labels, SET: point.replaceAll(/[:.]/g, '-') }
    const full = args.map((arg) => replaced[arg] ?? arg)
    const killed = await cupel(home, full, { CUPEL_FAILPOINT: `${point}:1` })
    expect(killed.exitCode, killed.stderr).not.toBe(0)
    const repeated = await cupel(home, full)
    expect(repeated.exitCode, repeated.stderr).toBe(0)
  })
})

test.each(
  sides.flatMap((side) => [
    ...atFirstStart.map((name) => ({ point: `${side}:${name}`, environment: {} })),
    ...whenLate.map((name) => ({
      point: `${side}:${name}`,
      environment: { CUPEL_SCREEN_DEADLINE_MS: '10' },
    })),
  ]),
)('an installation that dies at $point comes up again and answers', async ({ point, environment }) => {
  const home = createHome()
  const fired = join(home, 'fired')
  try {
    await dieAt({
      home,
      environment: { ...environment, CUPEL_FAILPOINT: `${point}:1`, CUPEL_FAILPOINT_FIRED: fired },
    })
    expect(firedPoints(fired)).toEqual([point])
    const again = await startInstallation({ home })
    const client = createClient(again.ready.base_urls, again.ready.keys.read_write)
    // What the dead process held is given back within its lease.
    await until('an answer', RECOVERY_MS, async () => (await client.screen(LABELLED[0])).status === 200)
    await client.close()
    expect(await again.stop()).toBe(0)
  } finally {
    removeHome(home)
  }
})

/** Starts and, where that alone does not reach the point, screens until the process is gone. */
async function dieAt(options: { home: string; environment: Record<string, string> }): Promise<void> {
  const started = await startInstallation(options).catch((error: unknown) => String(error))
  if (typeof started === 'string') {
    expect(started).toContain('before it was ready')
    return
  }
  const client = createClient(started.ready.base_urls, started.ready.keys.read_write)
  try {
    await until('the death of the process', RECOVERY_MS, async () => {
      await Promise.allSettled(Array.from({ length: BURST }, () => client.screen(LABELLED[0])))
      return started.supervisor.signalCode === 'SIGKILL'
    })
  } finally {
    await client.close()
    await started.stop()
  }
}

test('every failpoint is visited by some test', () => {
  const visited = new Set<string>([
    ...Object.keys(underLoad),
    ...Object.keys(byCommand),
    ...atFirstStart,
    ...whenLate,
    ...pointsByFault,
    ...elsewhere,
  ])
  expect(failpointNames.filter((name) => !visited.has(name))).toEqual([])
})

/** Points whose visit is tested beside the code they guard, with the reason. */
const elsewhere: readonly FailpointName[] = [
  // packages/ledger/test/interrupted-import.int.test.ts kills an import at each of these.
  'ledger.segment',
  'ledger.batch',
  'ledger.publish',
  // services/bulk-coordinator/test/kills.int.test.ts kills a process at each of these while a job runs.
  'bulk.facts',
  'bulk.items-released',
  'bulk.release',
  'bulk.job-ended',
  'bulk.announced',
  'bulk.dead-letter',
  // services/api/test/bulk-kills.int.test.ts kills the API at these.
  'api.bulk-submitted',
  'api.bulk-cancel-requested',
  // Needs a dead letter: services/cli/src/dead-letters/dead-letters.int.test.ts.
  'dead-letters.redrive',
  // services/webhook-dispatcher/test/kills.int.test.ts kills a process at each of these while webhooks are sent.
  'webhooks.change',
  'webhooks.redeliver',
  'webhooks.deliveries',
  'webhooks.dead-letter',
  'webhooks.body',
  'webhooks.attempted',
  // For tests of the mechanism itself.
  'test',
]

const LABEL_FILE = `address,chain,category,entity,source,source_url,confidence,observed_at
0x1111111111111111111111111111111111111111,ETH,scam,Failpoint,failpoint_test,https://example.org/failpoint,0.9,2026-01-01
`
