// Measures how right the judgement is on real lists: npm run bench:judgement -- [--unlisted N] [--seed N] [--json FILE] [--docs]
// Prints tables, writes JSON to bench-results/, and with --docs the tables to docs/judgement-benchmark.md. Ends with 1 where
// a report is not what the rules give.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:judgement -- [options]
  --unlisted N   random valid addresses that nobody listed (default: 10000)
  --seed N       what they are drawn from (default: 20261121)
  --json FILE    where the results go (default: a new file in bench-results)
  --docs         write the tables to docs/judgement-benchmark.md`

const options = readOptions()
const sharedData = sharedDataFolder()
await orExplain(() => setUp())
const { isRight, renderJudgement, runJudgement, withPostgres } =
  await import('../packages/bench/dist/index.js')
const results = await withPostgres((connectionString) =>
  runJudgement({
    connectionString,
    sharedData,
    unlisted: options.unlisted,
    seed: options.seed,
    victims: Number.MAX_SAFE_INTEGER,
    say: (line) => console.error(`· ${line}`),
  }),
)
const page = renderJudgement(results)
console.log(`\n${page}`)
console.log(
  `Import: ${results.rowsPerSecond} rows a second. Look-up of 500 addresses: ${results.lookUpMs.p50} ms, 95 of 100 within ${results.lookUpMs.p95} ms.`,
)
console.log(`JSON: ${writeJson()}`)
if (options.docs) writeDocs()
process.exitCode = isRight(results) ? 0 : 1

function readOptions() {
  const { values } = parseArgs({
    options: {
      unlisted: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '20261121' },
      json: { type: 'string' },
      docs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) end(0, USAGE)
  const [unlisted, seed] = [Number(values.unlisted), Number(values.seed)]
  if (!Number.isInteger(unlisted) || unlisted < 1 || unlisted > 1_000_000 || !Number.isInteger(seed))
    end(2, `--unlisted takes a number from 1 to 1000000, --seed a whole number.\n${USAGE}`)
  return { unlisted, seed, json: values.json, docs: values.docs }
}

function end(code, text) {
  console.log(text)
  process.exit(code)
}

/** The real lists lie beside the checkout, or where CUPEL_SHARED_DATA says; without them there is nothing to measure. */
function sharedDataFolder() {
  const candidates = [process.env.CUPEL_SHARED_DATA, join(root, '..', 'shared', 'data')].filter(Boolean)
  const found = candidates.find((folder) => existsSync(join(folder, 'labels')))
  if (found === undefined)
    end(2, 'The judgement is measured on real lists: say where they lie with CUPEL_SHARED_DATA.')
  return found
}

function writeJson() {
  const file =
    options.json === undefined
      ? join(root, 'bench-results', `judgement-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
      : resolve(options.json)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}

/** Keeps the page's own text and replaces what lies between its two markers. */
function writeDocs() {
  const file = join(root, 'docs', 'judgement-benchmark.md')
  const [begin, finish] = ['<!-- results: begin -->', '<!-- results: end -->']
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(finish)]
  if (from === -1 || to < from) throw new Error(`${file} has lost its markers ${begin} and ${finish}`)
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${page.trim()}\n\n${text.slice(to)}`)
  console.log(`Wrote ${file}`)
}
