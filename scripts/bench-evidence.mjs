// Measures the share of a screen's CPU that its MACs and its signature take, and the cost of sealing a customer reference:
// npm run bench:evidence -- [--profile embedded|kafka]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:evidence -- [options]
  --profile embedded|kafka   (default: embedded)
  --seconds N                length of each measured phase (default: 20)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'embedded' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const seconds = Number(values.seconds)
if (!(seconds >= 1 && seconds <= 600)) end(2, `--seconds takes a number from 1 to 600.\n${USAGE}`)
if (!PROFILES.includes(values.profile)) end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)

await orExplain(() => setUp())
const { renderEvidence, runEvidence } = await import('../packages/bench/dist/index.js')
const results = await runEvidence({
  ...{ root, profile: values.profile, seconds },
  say: (line) => console.error(`· ${line}`),
})
report(root, 'evidence', renderEvidence(results), results)
