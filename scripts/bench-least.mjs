// Measures the rate of the least screen beside that of the bare echo and of a real screen: npm run bench:least -- [--seconds N] [--rounds N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:least -- [options]
  --seconds N   length of each turn (default: 8)
  --rounds N    turns of each kind at each load (default: 5)`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, rounds] = [values.seconds, values.rounds].map(Number)
if (!(seconds >= 1 && seconds <= 600) || !(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100))
  end(2, `--seconds takes a number from 1 to 600, --rounds one from 1 to 100.\n${USAGE}`)

await orExplain(() => setUp())
const { renderLeastScreen, runLeastScreen } = await import('../packages/bench/dist/index.js')
const results = await runLeastScreen({ root, seconds, rounds, say: (line) => console.error(`· ${line}`) })
report(root, 'least', renderLeastScreen(results), results)
