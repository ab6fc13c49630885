// Measures how strangers and other customers affect a customer: npm run bench:neighbours -- [--profile embedded|kafka] [--only NAME]
// Each case has rounds of three short turns with the same arrivals of screens: two without the case and one beside it. Prints a table and
// writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:neighbours -- [options]
  --profile embedded|kafka   (default: embedded)
  --only NAME                the cases whose name contains this; may be given several times
  --seconds N                length of each turn (default: 10, the interval of checkpoints)
  --rounds N                 rounds of each case, each of three turns (default: 6)
  --rate N                   screens a second (default: 50)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'embedded' },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, rounds, perSecond] = [values.seconds, values.rounds, values.rate].map(Number)
if (
  !(seconds >= 1 && seconds <= 60) ||
  !(rounds >= 2 && rounds <= 100) ||
  !(perSecond >= 1 && perSecond <= 1_000)
)
  end(
    2,
    `--seconds takes a number from 1 to 60, --rounds one from 2 to 100, --rate one from 1 to 1000.\n${USAGE}`,
  )
if (!PROFILES.includes(values.profile)) end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)

await orExplain(() => setUp())
const { renderNeighbours, runNeighbours } = await import('../packages/bench/dist/index.js')
const results = await runNeighbours({
  ...{ root, profile: values.profile, only: values.only, seconds, rounds, perSecond },
  say: (line) => console.error(`· ${line}`),
})
report(root, 'neighbours', renderNeighbours(results), results)
