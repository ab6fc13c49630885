// Measures watches: npm run bench:watches -- [--profile embedded|kafka] [--watched 1000] [--changes 100]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const MAX_WATCHED = 100_000
const USAGE = `npm run bench:watches -- [options]
  --profile embedded|kafka   default: embedded
  --watched N                watched addresses, 1 to ${MAX_WATCHED} (default: 1000)
  --changes N                of them, named by the list (default: 100)`

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'embedded' },
    watched: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const profile = PROFILES.find((one) => one === values.profile)
const [watched, changes] = [Number(values.watched), Number(values.changes)]
const isSound = Number.isInteger(watched) && Number.isInteger(changes) && changes >= 1 && watched >= changes
if (profile === undefined || !isSound || watched > MAX_WATCHED) end(2, USAGE)

await orExplain(() => setUp())
const { renderWatches, runWatches } = await import('../packages/bench/dist/index.js')
const results = await runWatches({
  root,
  profile,
  watched,
  changes,
  say: (line) => console.error(`· ${line}`),
})
report(root, 'watches', renderWatches(results), results)
