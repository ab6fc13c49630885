// Measures the cost of transparency log leaves for screens: npm run bench:leaves -- [--profile embedded|kafka]
// Each round has three short turns with the same arrivals of screens: two with the log held, one with it running. Prints a table and
// writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:leaves -- [options]
  --profile embedded|kafka   (default: embedded)
  --seconds N                length of the load of each turn (default: 8)
  --rounds N                 rounds, each of three turns (default: 5)
  --rate N                   screens a second (default: 50)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'embedded' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, rounds, perSecond] = [values.seconds, values.rounds, values.rate].map(Number)
if (
  !(seconds >= 2 && seconds <= 60) ||
  !(rounds >= 2 && rounds <= 100) ||
  !(perSecond >= 1 && perSecond <= 1_000)
)
  end(
    2,
    `--seconds takes a number from 2 to 60, --rounds one from 2 to 100, --rate one from 1 to 1000.\n${USAGE}`,
  )
if (!PROFILES.includes(values.profile)) end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)

await orExplain(() => setUp())
const { renderLeaves, runLeaves } = await import('../packages/bench/dist/index.js')
const results = await runLeaves({
  ...{ root, profile: values.profile, seconds, rounds, perSecond },
  say: (line) => console.error(`· ${line}`),
})
report(root, 'leaves', renderLeaves(results), results)
