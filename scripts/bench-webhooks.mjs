// Measures webhooks, idle and beside fifty receivers that hang: npm run bench:webhooks -- [--profile embedded|kafka]
// Prints a table and writes JSON to bench-results/. No figure fails the run.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PROFILES = ['embedded', 'kafka']
const USAGE = `npm run bench:webhooks -- [options]
  --profile embedded|kafka   one profile only (default: both)`

const { values } = parseArgs({
  options: { profile: { type: 'string' }, help: { type: 'boolean', default: false } },
})
if (values.help) end(0, USAGE)
if (values.profile !== undefined && !PROFILES.includes(values.profile))
  end(2, `--profile is one of ${PROFILES.join(', ')}.\n${USAGE}`)
const profiles = values.profile === undefined ? PROFILES : [values.profile]

await orExplain(() => setUp())
const { renderWebhooks, runWebhooks } = await import('../packages/bench/dist/index.js')
const results = await runWebhooks({ root, profiles, say: (line) => console.error(`· ${line}`) })
report(root, 'webhooks', renderWebhooks(results), results)
