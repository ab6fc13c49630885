// Writes the tables of docs/capacity.md from the figures of docs/benchmarks.md: node scripts/capacity.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { costsOf, limitsOf, MACHINE_CORES, needsOf } from './capacity/model.mjs'
import { formatted } from './formatted.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PAGE = join(root, 'docs/capacity.md')
const RATES = [100, 1_000, 10_000, 100_000]
const sizes = {
  cluster: { screen: 32, report: 64 },
  before: { screen: 4, report: 16 },
}
const POSTGRES_CORES = 16

const grouped = (count) => count.toLocaleString('en-US')

function tables(costs) {
  const needs = RATES.map((rate) => needsOf(rate, costs, sizes.cluster))
  const rows = needs.map(
    ({ rate, api, scorer, projector, coordinator, brokerCores, postgresCores, machines, exceeded }) =>
      `| ${[
        grouped(rate),
        ...[api, scorer, projector, coordinator],
        ...[brokerCores, postgresCores, machines],
        exceeded.length === 0 ? 'nothing' : exceeded.join('; '),
      ].join(' | ')} |`,
  )
  const limits = (size) => limitsOf(costs, { ...size, postgresCores: POSTGRES_CORES })
  const before = limits(sizes.before)
  return `| screens/s | APIs | scorers | projectors | coordinators | broker cores | Postgres cores | machines of ${MACHINE_CORES} cores for the services | what is exceeded |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

| what ends the growth, in this order | 32 and 64 partitions, screens/s |
| --- | --- |
${limits(sizes.cluster)
  .map(({ what, rate }) => `| ${what} | ${grouped(rate)} |`)
  .join('\n')}

With 4 and 16 partitions, as on one broker, the first limit is ${before[0].what}: ${grouped(before[0].rate)} screens/s.`
}

const text = readFileSync(PAGE, 'utf8')
const [begin, end] = ['<!-- figures: begin -->', '<!-- figures: end -->']
const costs = costsOf(readFileSync(join(root, 'docs/benchmarks.md'), 'utf8'))
const wanted = await formatted(
  PAGE,
  `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${tables(costs)}\n\n${text.slice(text.indexOf(end))}`,
)
if (wanted !== text && process.argv.includes('--check')) {
  console.error('docs/capacity.md does not follow docs/benchmarks.md: run node scripts/capacity.mjs')
  process.exitCode = 1
} else writeFileSync(PAGE, wanted)
