// Measures what the admission of a call costs the database: npm run bench:admission -- [--calls N] [--rounds N]
// It measures, in turns, processor time of the one connection in use and bytes of write-ahead log, on a Postgres of its own. Prints a table
// and writes JSON to bench-results/. No figure fails the run. It runs only on Linux, because it reads /proc.
import { createHash, randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:admission -- [options]
  --calls N    calls of each turn, an eighth of them where each has a statement of its own (default: 20000)
  --rounds N   turns of each case, the cases one after the other (default: 5)`
/** Calls per statement: one alone, and the many of a busy instance. */
const BATCHES = [1, 32]
/** A call alone costs several times as much, so fewer calls suffice. */
const FEWER_ALONE = 8
const KEYS = 32

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [calls, rounds] = [Number(values.calls), Number(values.rounds)]
if (!(Number.isInteger(calls) && calls >= 1_000) || !(Number.isInteger(rounds) && rounds >= 1))
  end(2, `--calls takes a number from 1000, --rounds one from 1.\n${USAGE}`)

await orExplain(() => setUp())
const imported = async (name) => await import(`../packages/${name}/dist/index.js`)
const access = await imported('access')
const { startPostgres } = await imported('local-stack')
const { migrate, openDatabase, readMigrations } = await imported('postgres')
const migrations = [
  (await imported('event-log')).eventLogMigrations,
  (await imported('projections')).projectionsMigrations,
  access.accessMigrations,
]
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

const folder = mkdtempSync(join(tmpdir(), 'cupel-bench-admission-'))
try {
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    recordFolder: join(folder, 'processes'),
  })
  const results = await measured(await postgres.ensureDatabase('admission')).finally(() => postgres.stop())
  report(root, 'admission', tableOf(results), results)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measured(connectionString) {
  const database = openDatabase({
    ...{ connectionString, maxConnections: 1, applicationName: 'bench', onIdleError: () => undefined },
  })
  await migrate(database, await readMigrations(migrations))
  const { accountId } = await access.createAccount(database, { name: 'Bench', by: 'bench' })
  const issue = async (scope) => {
    const order = { accountId, environment: 'live', scope, plan: 'enterprise', by: 'bench' }
    return (await access.issueKey(database, order)).key
  }
  const keysOf = (scope) => Promise.all(Array.from({ length: KEYS }, () => issue(scope)))
  const [readers, writers] = [await keysOf('read-only'), await keysOf('read-write')]
  const gate = access.createAdmission({ database })
  const idempotent = () => ({
    ...{ key: randomUUID(), candidateId: randomUUID() },
    requestHash: createHash('sha256').update('request').digest(),
  })
  const repeated = Array.from({ length: calls }, idempotent)
  const cases = [
    { name: 'refused for its scope: the key is read, nothing is written', keys: readers, admitted: false },
    { name: 'admitted: a token is taken', keys: writers, admitted: true },
    { name: 'admitted, first use of its Idempotency-Key', keys: writers, admitted: true, of: idempotent },
    {
      name: 'admitted, repeat of an Idempotency-Key after its lease',
      keys: writers,
      admitted: true,
      of: (call) => repeated[call],
    },
  ]
  const results = []
  for (let round = 0; round <= rounds; round += 1)
    for (const batch of BATCHES)
      for (const each of cases) {
        const use = await turn(database, gate, { ...each, batch })
        // The first round fills caches and reserves the keys that later rounds repeat.
        if (round > 0) results.push({ name: each.name, batch, ...use })
      }
  await gate.close()
  await database.close()
  return results
}

async function turn(database, gate, { keys, admitted, of, batch }) {
  const total = batch === 1 ? calls / FEWER_ALONE : calls
  const before = await usage(database)
  for (let call = 0; call < total; call += batch) {
    const admissions = await Promise.all(
      Array.from({ length: batch }, (_, index) =>
        gate.admit({
          authorization: `Bearer ${keys[(call + index) % KEYS]}`,
          clientAddress: '203.0.113.7',
          requiredScope: 'read-write',
          idempotent: of?.((call + index) % calls) ?? null,
        }),
      ),
    )
    const other = admissions.find((admission) => admission.admitted !== admitted)
    if (other !== undefined) throw new Error(`A call was answered with ${JSON.stringify(other)}`)
  }
  const after = await usage(database)
  const count = Math.ceil(total / batch) * batch
  return {
    processorUs: ((after.processorS - before.processorS) * 1e6) / count,
    logBytes: (after.logBytes - before.logBytes) / count,
  }
}

/** Processor time of the connection and bytes of write-ahead log of the server, both so far. */
async function usage(database) {
  const [row] = await database.query(
    "SELECT pg_backend_pid() AS pid, (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes",
  )
  // After the name, which may contain blanks, utime and stime are the 12th and 13th field. Source: proc(5).
  const fields = readFileSync(`/proc/${row.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return { processorS: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, logBytes: row.bytes }
}

function tableOf(results) {
  const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
  const rows = [...new Set(results.map(({ name }) => name))].map((name) => {
    const of = (batch, field) =>
      median(results.filter((each) => each.name === name && each.batch === batch).map((each) => each[field]))
    return `| ${[
      name,
      ...BATCHES.map((batch) => Math.round(of(batch, 'processorUs'))),
      ...BATCHES.map((batch) => Math.round(of(batch, 'logBytes'))),
    ].join(' | ')} |`
  })
  const heads = BATCHES.flatMap((batch) => [`µs, ${batch} a statement`])
  const logs = BATCHES.flatMap((batch) => [`bytes of log, ${batch} a statement`])
  return `| a call that is | ${[...heads, ...logs].join(' | ')} |\n| --- | --: | --: | --: | --: |\n${rows.join('\n')}`
}
