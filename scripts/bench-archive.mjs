// Measures how fast a log is archived and an archive is verified: npm run bench:archive -- [--profile embedded|kafka] [--reports N]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:archive -- [options]
  --profile embedded|kafka   (default: embedded)
  --reports N                reports in the log before it is archived (default: 100000)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'embedded' },
    reports: { type: 'string', default: '100000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const reports = Number(values.reports)
if (!(Number.isInteger(reports) && reports >= 1_000 && reports <= 10_000_000))
  end(2, `--reports takes a number from 1000 to 10000000.\n${USAGE}`)
if (!PROFILES.includes(values.profile)) end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)

await orExplain(() => setUp())
const { renderArchive, runArchive } = await import('../packages/bench/dist/index.js')
const results = await runArchive({
  ...{ root, profile: values.profile, reports },
  say: (line) => console.error(`· ${line}`),
})
report(root, 'archive', renderArchive(results), results)
