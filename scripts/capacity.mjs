// Writes the tables of docs/capacity.md from the figures of docs/benchmarks.md: node scripts/capacity.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { costsOf, limitsOf, MACHINE_CORES, needsOf, storageOf, yearOf } from './capacity/model.mjs'
import { formatted } from './formatted.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PAGE = join(root, 'docs/capacity.md')
const RATES = [100, 1_000, 10_000, 100_000]
const sizes = {
  cluster: { screen: 32, report: 64 },
  before: { screen: 4, report: 16 },
}
const POSTGRES_CORES = 16
const YEARLY_RATES = [1, 10, 50, 500]

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

/** A forecast is no better than two digits. */
const terabytes = (bytes) => Number((bytes / 1e12).toPrecision(2)).toLocaleString('en-US')

function disks(storage) {
  const rows = YEARLY_RATES.map((rate) => {
    const { screens, postgresBytes, brokerBytes } = yearOf(rate, storage)
    const millions = Number((screens / 1e6).toPrecision(3))
    return `| ${[grouped(rate), grouped(millions), terabytes(postgresBytes), terabytes(brokerBytes)].join(' | ')} |`
  })
  return `| screens/s | million screens a year | TB in Postgres | TB of all brokers, three copies |
| --- | --- | --- | --- |
${rows.join('\n')}`
}

const between = (page, name, content) => {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  return `${page.slice(0, page.indexOf(begin) + begin.length)}\n\n${content}\n\n${page.slice(page.indexOf(end))}`
}

const text = readFileSync(PAGE, 'utf8')
const benchmarks = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')
const withTables = between(text, 'figures', tables(costsOf(benchmarks)))
const wanted = await formatted(PAGE, between(withTables, 'disks', disks(storageOf(benchmarks))))
if (wanted !== text && process.argv.includes('--check')) {
  console.error('docs/capacity.md does not follow docs/benchmarks.md: run node scripts/capacity.mjs')
  process.exitCode = 1
} else writeFileSync(PAGE, wanted)
