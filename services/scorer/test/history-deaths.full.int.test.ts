/** A scorer may die at any moment while it reads a history: nothing is counted twice, nothing is lost, and the next scorer reads on. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { topicOf, type Report } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startScorer } from '../src/index.js'
import {
  address,
  EXCHANGE,
  explore,
  LAZARUS,
  openExplorer,
  paid,
  type Explored,
  type Explorer,
} from './explorers.js'

const ALICE = address('a')
const TIMEOUT_MS = 120_000
/** Nobody waits so long: a busy machine changes no report. */
const WAITS_MS = 3_600_000

let explorer: Explorer
let explored: Explored
beforeEach(async () => {
  explorer = await openExplorer('explorer', 'ETH')
  explored = await explore([explorer])
  explorer.chain.movements = [
    ...[paid(EXCHANGE, ALICE, 18_000_000), paid(LAZARUS, ALICE, 19_000_000)],
    { ...paid(EXCHANGE, ALICE, 19_100_000), list: 'txlistinternal' },
  ]
}, 60_000)
afterEach(() => explored.close())

test.each([
  // Between two pages, whose order is that of the kinds.
  'before:histories.page:1',
  'after:histories.page:1',
  'after:histories.page:2',
  // With all pages, in the middle of their import, and after it.
  'before:histories.file:1',
  'after:histories.file:1',
  'before:histories.import:1',
  'before:ledger.segment:1',
  'after:ledger.segment:1',
  'before:ledger.batch:1',
  'after:ledger.batch:1',
  'before:ledger.publish:1',
  'after:ledger.publish:1',
  'after:histories.import:1',
])(
  'a scorer that dies at %s leaves a history that the next one reads once, whole',
  async (point) => {
    const { installation, folder } = explored
    // A killed process leaves the pages that it had written.
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `ETH-${ALICE}-explorer.part`), '{"half":')
    const later = new Date(Date.now() + WAITS_MS).toISOString()
    const id = await installation.request(ALICE, 'ETH', { stagesByAt: later, answerByAt: later })
    await diesAt(installation.connectionString, point, (deps) =>
      startScorer({ config: explored.config, ...deps }),
    )
    await explored.start()
    const report = await until(async () => await installation.report(id))
    expect(report.coverage.missing_stages).toBeUndefined()
    expectWhole(report)
    // Those of its one event, and of its one file.
    const events = await until(async () => {
      const found = await segmentEvents()
      expect(found).toHaveLength(1)
      return found
    })
    const files = (await readdir(folder)).filter((name) => name.includes(ALICE))
    expect(files).toEqual([expect.stringMatching(/^ETH-0xa+-explorer-\d+\.jsonl$/)])
    const kept = createHash('sha256').update(await readFile(join(folder, files[0]!)))
    expect(events[0]).toMatchObject({ sha256: kept.digest('hex'), rows: 3, history: { address: ALICE } })
    expect(await installation.database.query('SELECT FROM ledger.transfer')).toHaveLength(3)
  },
  TIMEOUT_MS,
)

function expectWhole({ exposure, risk, coverage }: Report): void {
  expect(exposure).toMatchObject([{ direction: 'incoming', total: '3 ETH', total_complete: true }])
  expect(risk.level).toBe('red')
  expect(coverage.exposure.histories).toMatchObject([{ address: ALICE, incomplete: [] }])
}

/** Of the address: the history of whoever paid is read too. */
async function segmentEvents() {
  const { codec, records } = explored.installation
  const found = await records(topicOf('LedgerSegmentImported'))
  return found
    .map((record) => codec.decodeAs('LedgerSegmentImported', record)!.data)
    .filter(({ history }) => history?.address === ALICE)
}
