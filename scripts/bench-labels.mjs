// Measures how fast labels are looked up: npm run bench:labels -- [--labels N] [--batch N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:labels -- [options]
  --labels N   labels in the view (default: 500000)
  --batch N    look-up keys of a batch (default: 500)`

const { values } = parseArgs({
  options: {
    labels: { type: 'string', default: '500000' },
    batch: { type: 'string', default: '500' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [labels, batch] = [values.labels, values.batch].map(Number)
if (!Number.isInteger(labels) || labels < 1 || labels > 10_000_000)
  end(2, `--labels takes 1 to 10000000.\n${USAGE}`)
if (!Number.isInteger(batch) || batch < 1 || batch > 10_000) end(2, `--batch takes 1 to 10000.\n${USAGE}`)

await orExplain(() => setUp())
const { renderLookUp, runLookUp, withPostgres } = await import('../packages/bench/dist/index.js')
const results = await withPostgres((connectionString) =>
  runLookUp({ connectionString, labels, batch, say: (line) => console.error(`· ${line}`) }),
)
report(root, 'labels', renderLookUp(results), results)
