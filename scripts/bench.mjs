// Measures the product: npm run bench -- WHAT [options]. Prints a table, writes JSON to bench-results/, and with --docs the table to
// docs/benchmarks.md. A slow figure fails no run; a judgement that differs from the rules does.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatted } from './formatted.mjs'
import { baseline } from './baseline.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PAGE = join(root, 'docs', 'benchmarks.md')
const KINDS = {
  load: 'latency, rate, CPU and memory of screens: floor, screen, bulk',
  cost: 'what one screen causes: log requests, round trips, wake-ups, CPU',
  guard:
    'cost, latency and rates of this build ÷ those of the stored build of an earlier commit, by turns (linux-x64)',
  judgement: 'precision and recall on real lists, compared with an oracle',
  ledger: 'screens with exposure on a made-up chain, and the import of its labels and transfers',
  archive: 'create, verify and recompute an archive',
  neighbours: "p50 and p95 of a customer's screens while others call",
  watches: 'p50 and p95 of screens while a list or a ledger segment changes watched addresses',
  web: 'p50 and p95 of pages of the console in front of many reports',
}
/** What --only takes, by kind. A kind without an entry has no parts; neighbours are chosen by words in their names. */
const PARTS = {
  ...{ load: /^(?:floor|screen|bulk)$/, guard: /^(?:idle|screen|bulk|labels)$/ },
  ...{ ledger: /^[1-9]\d{0,8}$/, watches: /^(?:list|segment)$/, neighbours: /./ },
}
const USAGE = `npm run bench -- WHAT [options]
${Object.entries(KINDS)
  .map(([name, text]) => `  ${name.padEnd(11)} ${text}`)
  .join('\n')}
options
  --only a,b                 parts of load (floor, screen, bulk) or guard (idle, screen, bulk, labels), 7 or 100 of ledger (one address in so many is labelled), list or segment of watches, or words in the names of neighbours
  --profile embedded|kafka   (default: both for load and guard, kafka for cost, embedded otherwise)
  --brokers 1|3              of the kafka profile (default: 1)
  --seconds N                length of each phase or turn (default: 10)
  --rounds N                 rounds of three turns (default: 6)
  --rate N                   screens a second of neighbours, watches and bulk (default: 50)
  --size N                   rows, reports, or addresses of a job
  --docs                     write the table to docs/benchmarks.md`

const { what, docs, ...asked } = readOptions()
await orExplain(() => setUp())
const { kinds } = await import('../packages/bench/dist/index.js')
const kind = kinds[what]
const profiles = asked.profile === undefined ? kind.profiles : [asked.profile]
const outcome = await kind.run({
  ...asked,
  ...(what === 'guard' ? await orExplain(baseline) : {}),
  ...{ root, profiles, size: asked.size ?? kind.size, dataFolder: dataFolder() },
  say: (line) => console.error(`· ${line}`),
})
console.log(`\n${outcome.table}`)
const file = join(root, 'bench-results', `${what}-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
mkdirSync(dirname(file), { recursive: true })
const withoutLatencies = (name, value) => (name === 'latenciesMs' ? undefined : value)
writeFileSync(file, `${JSON.stringify(outcome.figures, withoutLatencies, 2)}\n`)
console.log(`\nJSON: ${file}`)
if (docs) await writeDocs(outcome.table)
process.exitCode = outcome.isRight ? 0 : 1

function readOptions() {
  const text = (value) => ({ type: 'string', ...(value === undefined ? {} : { default: value }) })
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ only: text(), profile: text(), brokers: text('1'), seconds: text('10'), rounds: text('6') },
      ...{ rate: text('50'), size: text() },
      ...{ docs: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    },
  })
  if (values.help) end(0)
  const [chosen] = positionals
  if (positionals.length !== 1 || !(chosen in KINDS))
    end(2, `Unknown: ${positionals.join(' ') || 'nothing'}.`)
  if (values.profile !== undefined && !['embedded', 'kafka'].includes(values.profile))
    end(2, `Unknown profile ${values.profile}.`)
  if (!['1', '3'].includes(values.brokers)) end(2, '--brokers takes 1 or 3.')
  const number = (name, least, most) => {
    const value = Number(values[name])
    if (!(value >= least && value <= most)) end(2, `--${name} takes a number from ${least} to ${most}.`)
    return value
  }
  return {
    ...{ what: chosen, docs: values.docs, profile: values.profile, brokers: Number(values.brokers) },
    parts: partsOf(chosen, values.only),
    ...{ seconds: number('seconds', 1, 3_600), rounds: number('rounds', 2, 100) },
    perSecond: number('rate', 1, 10_000),
    size: values.size === undefined ? undefined : number('size', 1, 100_000_000),
  }
}

/** A part that nobody knows would measure nothing, or something else. */
function partsOf(kind, only) {
  const parts = only?.split(',') ?? []
  const unknown = parts.find((part) => PARTS[kind]?.test(part) !== true)
  if (unknown !== undefined) end(2, `${kind} has no part ${JSON.stringify(unknown)}.`)
  return parts
}

/** Prints the usage and exits: 0 after --help, 2 for an invalid option. */
function end(code, fault) {
  console[code === 0 ? 'log' : 'error'](fault === undefined ? USAGE : `${fault}\n${USAGE}`)
  process.exit(code)
}

/** The folder of real lists named by CUPEL_SHARED_DATA, or next to the checkout; null if there is none. */
function dataFolder() {
  const candidates = [process.env.CUPEL_SHARED_DATA, join(root, '..', 'shared', 'data')].filter(Boolean)
  return candidates.find((folder) => existsSync(join(folder, 'labels'))) ?? null
}

/** Replaces the section of this kind. */
async function writeDocs(table) {
  const [begin, finish] = [`<!-- ${what}: begin -->`, `<!-- ${what}: end -->`]
  const page = readFileSync(PAGE, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(finish)]
  if (from === -1 || to < from) throw new Error(`${PAGE} lacks its markers ${begin} and ${finish}`)
  const next = `${page.slice(0, from + begin.length)}\n\n${table.trim()}\n\n${page.slice(to)}`
  writeFileSync(PAGE, await formatted(PAGE, next))
  console.log(`Wrote ${PAGE}`)
}
