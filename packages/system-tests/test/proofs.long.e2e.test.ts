/**
 * Labels, ledger and policy change and services are killed while screens are answered. Afterwards every report can be recomputed
 * from its record and from the labels and the ledger at its time, and the log is complete.
 */
import { drawnWithin, noteSkip, runSeed } from '@cupel/testkit'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { startLoad } from '../src/load.js'
import { seededRandom } from '../src/random.js'
import { until } from '../src/until.js'

const missingKafka = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missingKafka !== undefined) noteSkip(`proofs on the Kafka profile: ${missingKafka}`)

const THIEF = '0x7777777777777777777777777777777777777777'
const RECEIVER = '0x8888888888888888888888888888888888888888'
const EXCHANGE = '0x9999999999999999999999999999999999999999'
const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
/** The date in a list determines its age, and an old list makes no address green. */
const TODAY = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
const CLEAN = `${HEADER}\n${EXCHANGE},ETH,clean_exchange,An Exchange,clean_list,https://example.org/clean,0.9,${TODAY}\n`
const DESIGNATED = `${HEADER}\n0x6666666666666666666666666666666666666666,ETH,sanctions,A Group,ofac_sdn,https://example.org/list,1,${TODAY}\n`
const thieves = (confidence: number): string =>
  `${HEADER}\n${THIEF},ETH,stolen,A Thief,my_list,https://example.org/list,${confidence},2026-11-20\n`
const TRANSFERS = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source
ETH,100,2026-11-20T00:00:00Z,0x${'1'.repeat(64)},,native,ETH,,${THIEF},${RECEIVER},5000000000000000000,5,,test
`

/** `npm test` draws one of them: both answer alike, and other tests compare their logs. */
const profiles = drawnWithin({ name: 'proofs, profiles', minimum: 1 }, [
  { profile: 'embedded', kafka: false },
  { profile: 'Kafka', kafka: true },
])

describe.each(profiles)('what was decided on the $profile profile can be proven', ({ kafka }) => {
  const skipped = kafka && missingKafka !== undefined
  const home = createHome()
  const file = (name: string, text: string): string => {
    const path = join(home, name)
    writeFileSync(path, text)
    return path
  }
  let installation: Installation

  beforeAll(async () => {
    if (skipped) return
    const lists = join(home, 'lists')
    mkdirSync(lists)
    writeFileSync(join(lists, 'clean.csv'), CLEAN)
    const settled = new Date(Date.now() - 60_000)
    utimesSync(join(lists, 'clean.csv'), settled, settled)
    const plan = { lists: [{ set: 'clean', format: 'csv', path: lists, every: '6h' }] }
    installation = await startInstallation({
      kafka,
      home,
      ...(kafka ? { scale: 'api=2,scorer=2' } : {}),
      environment: { CUPEL_LABEL_REFRESH_FILE: file('plan.json', JSON.stringify(plan)) },
    })
  })
  afterAll(async () => {
    await installation?.stop()
    removeHome(home)
  })

  const run = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const said = await cupel(home, [...args, '--json'])
    expect(said.exitCode, said.stdout + said.stderr).toBe(0)
    return JSON.parse(said.stdout) as Record<string, unknown>
  }
  const importThieves = (confidence: number) =>
    run('labels', 'import', file('thieves.csv', thieves(confidence)), '--format', 'csv')

  test.skipIf(skipped)(
    'after changes of labels, ledger and policy, and a killed scorer, in the middle of screens',
    async () => {
      const seed = runSeed()
      process.stdout.write(`proofs: seed ${seed} (CUPEL_TEST_SEED repeats it)\n`)
      const { base_urls: baseUrls } = installation.ready
      await until('the first refresh', 120_000, async () => {
        const { items } = (await run('labels', 'sources')) as { items: { dataset: string }[] }
        return items.some(({ dataset }) => dataset === 'clean')
      })
      const key = await enterpriseKey(home)
      const addresses = [THIEF, RECEIVER, EXCHANGE] as const
      const load = startLoad({ baseUrls, key, perSecond: 20, random: seededRandom(seed), addresses })
      const steady = async (): Promise<void> => {
        const since = Date.now()
        await until('steady answers', 120_000, async () => load.steadySince(since))
      }
      await steady()
      await run('labels', 'import', file('ofac.csv', DESIGNATED), '--format', 'csv', '--whole')
      await importThieves(0.8)
      await run('ledger', 'import', file('transfers.csv', TRANSFERS), '--format', 'csv', '--chain', 'ETH')
      await steady()
      const document = (await cupel(home, ['policy', 'show', '--document'])).stdout
      const policy = { ...(JSON.parse(document) as object), version: 2, levels: { orange: 20, red: 72 } }
      await run('policy', 'activate', file('policy.json', JSON.stringify(policy)), '--reason', 'a test')
      for (const pid of installation.pids('scorer').slice(0, 1)) process.kill(pid, 'SIGKILL')
      await importThieves(0.6)
      await steady()
      await load.stop()
      expect(load.offences).toEqual([])

      const client = createClient(baseUrls, key)
      const report = await until('a report', 180_000, async () => {
        const { status, text } = await client.screen(EXCHANGE, 'ETH')
        return status === 200 ? (JSON.parse(text) as { risk: { level: string }; policy: object }) : null
      })
      expect(report).toMatchObject({ risk: { level: 'green' }, policy: { id: 'default', version: 2 } })
      for (const id of load.promised)
        await until(`promised report ${id}`, 180_000, async () => (await client.report(id)).status === 200)
      await client.close()

      const again = await run('audit', 'recompute')
      expect(again).toMatchObject({ is_proven: true, findings: [] })
      expect(again['reports']).toBeGreaterThanOrEqual(load.answered.size)
      const levels = again['levels'] as Record<string, Record<string, number>>
      for (const level of ['A', 'B'] as const)
        expect(levels[level]).toMatchObject({ same: again['reports'], differs: 0, failed: 0 })
      expect(levels['C']!['same']).toBeGreaterThan(0)
      const verified = await run('audit', 'verify')
      expect(verified).toMatchObject({ problem_count: 0, reports: again['reports'] })
      const diff = await run('policy', 'diff', '1', '2')
      expect(diff).toMatchObject({ reports: again['reports'], undecidable: 0 })
    },
    900_000,
  )
})
