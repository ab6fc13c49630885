/** Measures the label snapshot of a batch: the one statement with which the scorer reads labels, lists and policy. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseAddress } from '@cupel/domain'
import { openDatabase, type Database } from '@cupel/postgres'
import { readLabelSnapshot } from '@cupel/read-models'
import { openLabelInstallation } from '../judgement/label-installation.js'
import { mulberry32 } from '../load.js'

export interface LookUpOptions {
  /** An empty database. */
  readonly connectionString: string
  readonly labels: number
  /** Look-up keys of a batch. */
  readonly batch: number
  readonly say: (line: string) => void
}

interface LookUpRow {
  /** Share of the keys that have labels. */
  readonly labelled: number
  /** Of each run, in milliseconds. */
  readonly runs: readonly { readonly p50: number; readonly p95: number }[]
}

export interface LookUpResults {
  readonly date: string
  readonly cores: number
  /** Before the run. Above a few tenths, other programs were using the machine. */
  readonly loadAverage: number
  readonly labels: number
  readonly batch: number
  readonly rowsPerSecond: number
  readonly rows: readonly LookUpRow[]
}

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const CATEGORIES = ['stolen', 'scam', 'mixer', 'darknet']
const SHARES = [0.5, 1]
const RUNS = 3
const BATCHES_PER_RUN = 200
const SEED = 20_261_122

/** Imports the labels, then looks up batches of addresses through one connection. */
export async function runLookUp({
  connectionString,
  labels,
  batch,
  say,
}: LookUpOptions): Promise<LookUpResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const folder = await mkdtemp(join(tmpdir(), 'cupel-bench-look-up-'))
  const installation = await openLabelInstallation(connectionString)
  const database = openDatabase({
    connectionString,
    maxConnections: 1,
    applicationName: 'cupel-bench-look-up',
  })
  try {
    const file = join(folder, 'labels.csv')
    await pipeline(Readable.from(fileOf(labels)), createWriteStream(file))
    say(`import of ${labels} labels`)
    const since = performance.now()
    await installation.import({ file, format: 'csv', whole: false })
    const seconds = (performance.now() - since) / 1_000
    await installation.database.execute('VACUUM ANALYZE')
    say(`batches of ${batch} look-up keys`)
    const rows: LookUpRow[] = []
    for (const labelled of SHARES)
      rows.push({ labelled, runs: await runsOf(database, { labels, batch, labelled }) })
    return {
      ...{
        date: new Date().toISOString().slice(0, 10),
        cores: cpus().length,
        loadAverage,
        labels,
        batch,
        rows,
      },
      rowsPerSecond: Math.round(labels / seconds),
    }
  } finally {
    await database.close()
    await installation.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Batches {
  readonly labels: number
  readonly batch: number
  readonly labelled: number
}

async function runsOf(database: Database, batches: Batches): Promise<LookUpRow['runs']> {
  const random = mulberry32(SEED)
  const { labelSetSeq, policySeq } = await readLabelSnapshot(database, { lookupKeys: [] })
  const known = { knownSetsSeq: labelSetSeq, knownPolicySeq: policySeq }
  const runs: { p50: number; p95: number }[] = []
  // The first run warms the caches up, and is dropped.
  for (let run = 0; run <= RUNS; run += 1) {
    const took: number[] = []
    for (let count = 0; count < BATCHES_PER_RUN; count += 1) {
      const lookupKeys = keysOf(batches, random)
      const since = performance.now()
      await readLabelSnapshot(database, { lookupKeys, ...known })
      took.push(performance.now() - since)
    }
    took.sort((one, other) => one - other)
    const at = (share: number): number => Math.round(took[Math.ceil(share * took.length) - 1]! * 10) / 10
    if (run > 0) runs.push({ p50: at(0.5), p95: at(0.95) })
  }
  return runs
}

function keysOf({ labels, batch, labelled }: Batches, random: () => number): string[] {
  return Array.from({ length: batch }, (_, index) => {
    const name = Math.floor(random() * labels)
    const parsed = parseAddress(addressOf(index < batch * labelled ? `${name}` : `unlabelled ${name}`), 'ETH')
    if (!parsed.ok) throw new Error(parsed.reason)
    return parsed.lookupKey
  })
}

function* fileOf(labels: number): Generator<string> {
  yield `${HEADER}\n`
  for (let index = 0; index < labels; index += 1)
    yield `${addressOf(`${index}`)},ETH,${CATEGORIES[index % CATEGORIES.length]},Entity ${index},bench_labels,https://example.org/${index},0.9,2026-01-01\n`
}

const addressOf = (name: string): string =>
  `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`

/** The results as a table in Markdown. */
export function renderLookUp({ date, cores, loadAverage, rows, ...of }: LookUpResults): string {
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${of.labels.toLocaleString('en-US')} labels, imported at ${of.rowsPerSecond.toLocaleString('en-US')} rows/s; one connection, ${RUNS} runs of ${BATCHES_PER_RUN} batches of ${of.batch} look-up keys.`,
    '',
    '| keys with labels | p50 ms of each run | p95 ms of each run | target |',
    '|---|---|---|---|',
    ...rows.map(({ labelled, runs }) => {
      const figures = [runs.map(({ p50 }) => p50).join(', '), runs.map(({ p95 }) => p95).join(', ')]
      return `| ${labelled * 100} % | ${figures.join(' | ')} | ${labelled === 1 ? '—' : '≤ 10 ms'} |`
    }),
    '',
  ].join('\n')
}
