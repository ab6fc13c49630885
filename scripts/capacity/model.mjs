// Computes how many processes and machines a rate of screens needs, from the measured processor time of one screen in each service.

/** Planned share of a core for a process. The other half is for bursts, and for the work of a process that is restarted. */
export const PLANNED_SHARE = 0.5
/** Copies of each record. A follower writes the records of its leader. The same cost for it is an upper bound, not a measurement. */
export const REPLICAS = 3
/** Cores of the machines in the table. */
export const MACHINE_CORES = 8
/** At least two processes of every service that answers or decides, so that one may fail. */
const LEAST = 2

/** The services whose processes use one core at most. */
const services = ['api', 'scorer', 'projector', 'bulk-coordinator']

/**
 * Processor time of one screen in milliseconds, by service, as docs/benchmarks.md states it for the Kafka profile.
 * Throws if the page has no such line.
 */
export function costsOf(benchmarks) {
  const kafka = benchmarks.slice(benchmarks.indexOf('### Kafka profile'))
  const line = kafka.split('\n').find((each) => each.startsWith('| CPU per screen at 256 connections'))
  if (line === undefined)
    throw new Error('docs/benchmarks.md has no processor time per screen of the Kafka profile')
  const costs = Object.fromEntries(
    [...line.matchAll(/([a-z][a-z -]*[a-z]) (\d+\.\d+) ms/g)].map(([, name, cost]) => [name, Number(cost)]),
  )
  for (const name of [...services, 'kafka broker', 'postgres'])
    if (!(costs[name] > 0)) throw new Error(`docs/benchmarks.md has no processor time of ${name}`)
  return costs
}

/** Bytes that a screen leaves in Postgres and in one copy of the log, as docs/benchmarks.md states them. Throws if the page has none. */
export function storageOf(benchmarks) {
  const bytesOf = (name) => {
    const found = new RegExp(`^\\| ${name} *\\| ([\\d,]+) *\\|$`, 'm').exec(benchmarks)
    if (found === null) throw new Error(`docs/benchmarks.md has no bytes of a screen in ${name}`)
    return Number(found[1].replaceAll(',', ''))
  }
  return { postgres: bytesOf('Postgres'), log: bytesOf('one copy of the log') }
}

const YEAR_SECONDS = 365 * 86_400

/** What a year of screens leaves on the disks of Postgres and of all brokers together. */
export function yearOf(rate, { postgres, log }) {
  const screens = rate * YEAR_SECONDS
  return { screens, postgresBytes: screens * postgres, brokerBytes: screens * log * REPLICAS }
}

/** Cores that are busy at `rate` screens a second. */
const busyCores = (cost, rate) => (cost * rate) / 1000

/**
 * Processes, cores and machines for a rate, and the limits that it exceeds. `screen` and `report` are the partitions of a lane and of the
 * reports.
 */
export function needsOf(rate, costs, { screen, report }) {
  const processes = (name) => Math.max(LEAST, Math.ceil(busyCores(costs[name], rate) / PLANNED_SHARE))
  const api = processes('api')
  const scorer = processes('scorer')
  const projector = processes('projector')
  // One works, and the others are ready to take its place.
  const coordinator = LEAST
  const brokerCores = Math.ceil((busyCores(costs['kafka broker'], rate) * REPLICAS) / PLANNED_SHARE)
  const postgresCores = Math.ceil(busyCores(costs.postgres, rate) / PLANNED_SHARE)
  const serviceCores = api + scorer + projector + coordinator
  return {
    ...{ rate, api, scorer, projector, coordinator, brokerCores, postgresCores },
    machines: Math.max(LEAST, Math.ceil(serviceCores / MACHINE_CORES)),
    exceeded: [
      ...(api > report / 2 ? [`report partitions (${report / 2} for API instances)`] : []),
      ...(scorer > screen ? [`partitions of a lane (${screen})`] : []),
      ...(projector > report ? [`report partitions (${report} for projectors)`] : []),
    ],
  }
}

/** The rate at which each limit is reached, lowest first. */
export function limitsOf(costs, { screen, report, postgresCores }) {
  const rateOf = (cores, cost) => Math.floor((cores * PLANNED_SHARE * 1000) / cost)
  return [
    { what: `scorers: ${screen} partitions of a lane`, rate: rateOf(screen, costs.scorer) },
    { what: `APIs: ${report / 2} report partitions, one for each`, rate: rateOf(report / 2, costs.api) },
    { what: `projectors: ${report} report partitions`, rate: rateOf(report, costs.projector) },
    { what: `Postgres: one primary of ${postgresCores} cores`, rate: rateOf(postgresCores, costs.postgres) },
  ].sort((one, other) => one.rate - other.rate)
}
