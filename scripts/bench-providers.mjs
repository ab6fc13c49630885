// Measures screens with quick and slow providers of chain data: npm run bench:providers -- [--seconds N] [--rate N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:providers -- [options]
  --seconds N   length of each measured phase (default: 20)
  --rate N      screens a second (default: 20)`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, perSecond] = [Number(values.seconds), Number(values.rate)]
if (!(seconds >= 1 && seconds <= 3_600) || !(perSecond >= 1 && perSecond <= 1_000))
  end(2, `--seconds takes a number from 1 to 3600, --rate one from 1 to 1000.\n${USAGE}`)

await orExplain(() => setUp())
const { renderProviders, runProviders } = await import('../packages/bench/dist/index.js')
const results = await runProviders({ root, seconds, perSecond, say: (line) => console.error(`· ${line}`) })
report(root, 'providers', renderProviders(results), results)
