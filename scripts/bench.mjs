// Measures the platform against the floor of its own log:
// npm run bench -- [--profile embedded|kafka] [--brokers 3] [--only a,b] [--seconds N] [--docs]
// --only cost measures instead the cost of one screen, compares it with the budgets of docs/performance.md and shows what exceeds them.
// Prints a table, writes JSON to bench-results/, and with --docs the table to docs/benchmarks.md. No figure fails the run.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report, writeDocs } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PARTS = ['start', 'import', 'floor', 'screen', 'memory']
const COST = 'cost'
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench -- [options]
  --profile embedded|kafka   one profile only (default: both)
  --brokers 1|3              brokers of the kafka profile (default: 1)
  --only ${PARTS.join(',')}   parts to run, comma-separated (default: all)
  --only cost                what one screen causes by itself: log requests, round trips, wake-ups, bytes, CPU
  --seconds N                length of each measured phase (default: 20)
  --docs                     write the table to docs/benchmarks.md`

async function main() {
  const options = readOptions()
  await orExplain(() => setUp())
  if (options.only?.has(COST)) return await cost(options)
  const { renderMarkdown, runBench } = await import('../packages/bench/dist/index.js')
  const results = await runBench({
    root,
    ...options,
    labelFolder: labelFolder(),
    say: (line) => console.error(`· ${line}`),
  })
  const table = renderMarkdown(results)
  report(root, 'bench', table, results)
  if (options.docs) writeDocs(root, 'benchmarks.md', 'figures', table)
}

async function cost({ profiles, brokers, seconds }) {
  const { readBudgets, renderCost, runCost } = await import('../packages/bench/dist/index.js')
  const page = readFileSync(join(root, 'docs', 'performance.md'), 'utf8')
  const budgetsOf = (profile) => readBudgets(page, profile)
  // Report an unreadable table before the run.
  profiles.forEach(budgetsOf)
  const results = await runCost({
    root,
    profiles,
    brokers,
    seconds,
    say: (line) => console.error(`· ${line}`),
  })
  report(root, 'cost', renderCost(results, budgetsOf), asJson(results))
}

/** JSON has no maps. */
const asJson = (results) =>
  JSON.parse(
    JSON.stringify(results, (_key, value) => (value instanceof Map ? Object.fromEntries(value) : value)),
  )

function readOptions() {
  const { values } = parseArgs({
    options: {
      profile: { type: 'string' },
      brokers: { type: 'string', default: '1' },
      only: { type: 'string' },
      seconds: { type: 'string', default: '20' },
      docs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) end(0, USAGE)
  const seconds = Number(values.seconds)
  const only = values.only === undefined ? null : new Set(values.only.split(','))
  if (values.profile !== undefined && !PROFILES.includes(values.profile))
    end(2, `Unknown profile ${values.profile}.\n${USAGE}`)
  if (!['1', '3'].includes(values.brokers)) end(2, `--brokers takes 1 or 3.\n${USAGE}`)
  if (!(seconds >= 1 && seconds <= 3_600)) end(2, `--seconds takes a number from 1 to 3600.\n${USAGE}`)
  if (only?.has(COST) && only.size > 1) end(2, `--only ${COST} takes no other part.\n${USAGE}`)
  for (const part of only ?? [])
    if (!PARTS.includes(part) && part !== COST) end(2, `Unknown part ${part}.\n${USAGE}`)
  return {
    profiles: values.profile === undefined ? PROFILES : [values.profile],
    brokers: Number(values.brokers),
    only,
    seconds,
    docs: values.docs,
  }
}

/** The folder of label files named by CUPEL_SHARED_DATA, or beside the checkout; null if there is none. */
function labelFolder() {
  const candidates = [process.env.CUPEL_SHARED_DATA, join(root, '..', 'shared', 'data')].filter(Boolean)
  const folder = candidates.map((data) => join(data, 'labels')).find(existsSync)
  if (folder === undefined)
    console.error('· no label files (CUPEL_SHARED_DATA): measuring with the starter labels only')
  return folder ?? null
}

await main()
