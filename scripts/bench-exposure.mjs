// Measures screens that read a large ledger: npm run bench:exposure -- [--seconds N] [--rate N] [--transfers N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:exposure -- [options]
  --seconds N   length of each measured phase (default: 20)
  --rate N      screens a second (default: 20)
  --transfers N transfers in the ledger (default: 1000000)`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '20' },
    transfers: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, perSecond, transfers] = [values.seconds, values.rate, values.transfers].map(Number)
if (!(seconds >= 1 && seconds <= 3_600) || !(perSecond >= 1 && perSecond <= 1_000))
  end(2, `--seconds takes a number from 1 to 3600, --rate one from 1 to 1000.\n${USAGE}`)
if (!(transfers >= 1_000 && transfers <= 50_000_000)) end(2, `--transfers takes 1000 to 50000000.\n${USAGE}`)

await orExplain(() => setUp())
const { renderExposure, runExposure } = await import('../packages/bench/dist/index.js')
const results = await runExposure({
  root,
  seconds,
  perSecond,
  transfers,
  say: (line) => console.error(`· ${line}`),
})
report(root, 'exposure', renderExposure(results), results)
