/** Every screen of an address on an imported sanctions list returns the listing, on both profiles. */
import { drawnWithin, noteSkip, sharedDataFolder } from '@cupel/testkit'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { effectiveReports, readTopic } from '../src/kafka-log.js'
import { expectedOfDesignations, readLabelRows } from '../src/label-oracle.js'
import { until } from '../src/until.js'

const shared = sharedDataFolder()
const missingKafka = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missingKafka !== undefined) noteSkip(`the sanctions list on the Kafka profile: ${missingKafka}`)
const PARALLEL = 16

interface ReportBody {
  readonly report_id: string
  readonly address: string
  readonly risk: {
    readonly level: string
    readonly score: number
    readonly categories: Readonly<Record<string, number>>
    readonly evidence: readonly {
      readonly category: string
      readonly relation: string
      readonly decisive: boolean
      readonly contribution: number
      readonly entity: string
    }[]
  }
}

/** `npm test` draws one of them: both answer alike, and other tests compare their logs. */
const profiles = drawnWithin({ name: 'sanctions list, profiles', minimum: 1 }, [
  { profile: 'embedded', kafka: false },
  { profile: 'Kafka', kafka: true },
])

describe.skipIf(shared === null).each(profiles)('the OFAC list on the $profile profile', ({ kafka }) => {
  const skipped = kafka && missingKafka !== undefined
  const home = createHome()
  let installation: Installation
  const reports = new Map<string, ReportBody>()

  beforeAll(async () => {
    if (!skipped) installation = await startInstallation({ kafka, home })
  })
  afterAll(async () => {
    await installation?.stop()
    removeHome(home)
  })

  test.skipIf(skipped)(
    'every address of the list answers red at 100 with the listing as decisive evidence',
    async () => {
      const file = join(shared!, 'labels/ofac_sdn.csv')
      const imported = await cupel(home, ['labels', 'import', file, '--format', 'csv', '--json'])
      expect(imported.stderr + imported.stdout).not.toMatch(/\n\s+at /)
      expect(imported.exitCode).toBe(0)

      const rows = readLabelRows(file)
      const expected = expectedOfDesignations(rows)
      const client = createClient(installation.ready.base_urls, await enterpriseKey(home))
      const queue = [...expected.keys()]
      const worker = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          const [chain, address] = next.split(' ') as [string, string]
          // On a busy machine a late screen answers 503; only such a screen is repeated.
          const answer = await until(`an answer for ${next}`, 180_000, async () => {
            const given = await client.screen(address, chain)
            return given.status === 503 ? null : given
          })
          expect(answer.status, `${next}: ${answer.text}`).toBe(200)
          reports.set(next, JSON.parse(answer.text) as ReportBody)
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, worker))
      await client.close()

      const wrong: string[] = []
      for (const [key, want] of expected) {
        const { risk, address } = reports.get(key)!
        const listing = risk.evidence.find(
          (item) => item.category === 'sanctions' && item.relation === 'ownership' && item.decisive,
        )
        const entities = rows
          .filter((row) => `${row.chain} ${row.address}` === key && row.category === 'sanctions')
          .map((row) => row.entity)
        const right =
          risk.level === want.level &&
          risk.score === want.score &&
          risk.categories['sanctions'] === want.sanctions &&
          listing?.contribution === 100 &&
          entities.includes(listing.entity) &&
          address === key.split(' ')[1]
        if (!right) wrong.push(`${key}: ${JSON.stringify(risk)}`)
      }
      expect(wrong).toEqual([])
      expect(reports.size).toBe(expected.size)
    },
    900_000,
  )

  // The embedded log has no topics that a Kafka client can read.
  if (!kafka) return

  test.skipIf(skipped)(
    'the topics hold one distinct request and one effective report for every report id',
    async () => {
      const requests = await readTopic(installation.ready, 'screening.screen.events.v1')
      const effective = effectiveReports(await readTopic(installation.ready, 'screening.report.events.v1'))
      for (const [key, body] of reports) {
        const ids = new Set(
          requests.filter((record) => record.key === body.report_id).map((record) => record.id),
        )
        expect(ids.size, key).toBe(1)
        expect(JSON.parse(String(effective.get(body.report_id)?.value['report']))).toEqual(body)
      }
    },
  )
})
