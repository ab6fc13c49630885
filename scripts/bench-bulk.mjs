// Measures bulk jobs and interactive screens beside them: npm run bench:bulk -- [--profile embedded|kafka] [--seconds N] [--rate N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:bulk -- [options]
  --profile embedded|kafka   one profile only (default: both)
  --seconds N                length of each phase with interactive screens (default: 20)
  --rate N                   interactive screens a second (default: 50)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [seconds, perSecond] = [Number(values.seconds), Number(values.rate)]
if (!(seconds >= 1 && seconds <= 60) || !(perSecond >= 1 && perSecond <= 1_000))
  end(2, `--seconds takes a number from 1 to 60, --rate one from 1 to 1000.\n${USAGE}`)
if (values.profile !== undefined && !PROFILES.includes(values.profile))
  end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)
const profiles = values.profile === undefined ? PROFILES : [values.profile]

await orExplain(() => setUp())
const { renderBulk, runBulk } = await import('../packages/bench/dist/index.js')
const results = await runBulk({
  ...{ root, profiles, seconds, perSecond },
  say: (line) => console.error(`· ${line}`),
})
report(root, 'bulk', renderBulk(results), results)
