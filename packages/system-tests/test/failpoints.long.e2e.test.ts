/** Services and commands die once at each of their failpoints, as in a power cut. They restart and keep every promise. */
import { drawnWithin, noteSkip, runSeed } from '@cupel/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { byCommand, underLoad } from '../src/failpoint-visits.js'
import { firedPoints, sides } from '../src/fired-points.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { startLoad } from '../src/load.js'
import { seededRandom } from '../src/random.js'
import { until } from '../src/until.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`failpoints on the Kafka profile: ${missing}`)
const LABELLED = ['0x098B716B8Aaf21512996dC57EB0615e2383E2f96'] as const
/** The process dies on the second side of a point after this many further visits. */
const BETWEEN_SIDES = 10
/** Longer than any lease, and ample for a busy machine. */
const RECOVERY_MS = 180_000

interface Death {
  readonly point: string
  readonly args: readonly string[]
}

/** Groups deaths by command, in the order in which the command reaches their points. */
function groupedByCommand(deaths: readonly Death[]): ReadonlyMap<string, readonly Death[]> {
  const grouped = new Map<string, Death[]>()
  for (const death of deaths) {
    const command = death.args.slice(0, 2).join(' ')
    grouped.set(command, [...(grouped.get(command) ?? []), death])
  }
  return grouped
}

describe.skipIf(missing !== undefined)('the Kafka profile dying at every failpoint', () => {
  const home = createHome()
  const fired = join(home, 'fired')
  const seed = runSeed()
  const drawnDeaths = drawnWithin(
    { name: 'deaths of commands', minimum: 2 },
    Object.entries(byCommand).flatMap(([name, args]): Death[] =>
      sides.map((side) => ({ point: `${side}:${name}`, args })),
    ),
    seed,
  )
  let installation: Installation | undefined

  afterAll(async () => {
    await installation?.stop()
    removeHome(home)
  })

  test('services die at each of their points once under load and lose nothing', async () => {
    process.stdout.write(`failpoints: seed ${seed}\n`)
    const points = Object.entries(underLoad).flatMap(([name, visit]) =>
      drawnWithin({ name: `deaths at ${name}`, minimum: 1 }, sides, seed).map(
        (side, second) => `${side}:${name}:${visit + BETWEEN_SIDES * second}`,
      ),
    )
    installation = await startInstallation({
      kafka: true,
      processes: true,
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
    // The projector died too. Until it has caught up, the API neither returns a report nor denies that it exists.
    const read = (id: string) =>
      until(`report ${id}`, RECOVERY_MS, async () => {
        const answer = await client.report(id)
        return answer.status === 200 ? answer.text : null
      })
    for (const [id, text] of load.answered) expect(await read(id)).toBe(text)
    for (const id of load.promised) await read(id)
    await client.close()
  }, 900_000)

  // Each process continues where the previous one died. The last one has no armed point.
  test.each([...groupedByCommand(drawnDeaths)])(
    'a command that dies at each of its points, one after another, succeeds when it is repeated: %s',
    async (_command, deaths) => {
      const labels = join(home, 'labels.csv')
      writeFileSync(labels, LABEL_FILE)
      // The label set is new, so that the command has something to append.
      const replaced: Record<string, string> = { LABELS: labels, SET: 'failpoints' }
      const full = deaths[0]!.args.map((arg) => replaced[arg] ?? arg)
      for (const { point } of deaths) {
        const killed = await cupel(home, full, { CUPEL_FAILPOINT: `${point}:1` })
        expect(killed.exitCode, `${point}\n${killed.stderr}`).toBeNull()
      }
      const repeated = await cupel(home, full)
      expect(repeated.exitCode, repeated.stderr).toBe(0)
    },
  )
})

const LABEL_FILE = `address,chain,category,entity,source,source_url,confidence,observed_at
0x1111111111111111111111111111111111111111,ETH,scam,Failpoint,failpoint_test,https://example.org/failpoint,0.9,2026-01-01
`
