// Measures precision and recall of the judgement on real lists: npm run bench:judgement -- [--unlisted N] [--seed N] [--json FILE] [--docs]
// Prints tables, writes JSON to bench-results/, and with --docs writes the tables to docs/judgement-benchmark.md.
// Exits with 1 if a report differs from the result of the rules.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report, writeDocs } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:judgement -- [options]
  --unlisted N   random valid addresses that no list contains (default: 10000)
  --seed N       seed of those addresses (default: 20261121)
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
report(root, 'judgement', page, results, options.json)
console.log(
  `Import: ${results.rowsPerSecond} rows a second. Look-up of 500 addresses: ${results.lookUpMs.p50} ms, 95 of 100 within ${results.lookUpMs.p95} ms.`,
)
if (options.docs) writeDocs(root, 'judgement-benchmark.md', 'results', page)
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
  return {
    unlisted,
    seed,
    json: values.json === undefined ? undefined : resolve(values.json),
    docs: values.docs,
  }
}

/** The folder of real lists named by CUPEL_SHARED_DATA, or beside the checkout. Exits if there is none. */
function sharedDataFolder() {
  const candidates = [process.env.CUPEL_SHARED_DATA, join(root, '..', 'shared', 'data')].filter(Boolean)
  const found = candidates.find((folder) => existsSync(join(folder, 'labels')))
  if (found === undefined)
    end(2, 'The judgement is measured on real lists: name their folder in CUPEL_SHARED_DATA.')
  return found
}
