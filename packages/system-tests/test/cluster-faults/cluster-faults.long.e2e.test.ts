/**
 * Runs the whole installation on three brokers under load, with faults of every kind from a printed seed, some of them two at a time.
 * It checks that no answered report is lost or changed, no view has a duplicate, nothing listed is green, every job ends exactly, every
 * webhook arrives once in content, and everything works again after each fault.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { casesWithin, noteSkip, runSeed } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom, type Random } from '../../src/random.js'
import { until } from '../../src/until.js'
import { anyOf, type FaultKind } from './fault.js'
import { startFaultInstallation, type Installation } from './installation.js'
import { faultKinds } from './kinds/index.js'
import { noticed, startCustomers, type Customers, type Noticed } from './load.js'
import { expectAllHeld, falseGreens } from './oracle.js'
import { recoveryTable, type Recovery } from './recoveries.js'
import { LABEL_HEADER, watchAddresses, type Watches } from './watches.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`faults of an installation on three brokers: ${missing}`)

/** Number of cases; each is one fault, or two that overlap. */
const SUITE = { name: 'cluster faults', full: 300, minimum: 2, demanded: 3 }
/** Duration of a fault, as `SHORTEST-LONGEST` in seconds: `60-300` for runs without a time limit. */
const DURATION = process.env['CUPEL_TEST_FAULT_SECONDS'] ?? '1-4'
/** Parts of the names of the kinds to run, separated by commas; all kinds by default. */
const ONLY = (process.env['CUPEL_TEST_FAULT_KINDS'] ?? '').split(',')
/** One case in this many has two faults at a time. */
const OVERLAP_EVERY = 4
/** One case in this many changes a list during the fault. */
const LISTING_EVERY = 8
/** The promise, on a machine that runs no other tests. */
const PROMISED_RECOVERY_MS = 15_000
/** Only a failed recovery takes longer. The table shows the time of each recovery. */
const RECOVERY_LIMIT_MS = 600_000
const POLL_MS = 100
const LIMIT_MS = 6 * 60 * 60_000
/** Addresses of the starter labels that OFAC designates. */
const LISTED = [
  '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  '0x901bb9583b24D97e995513C6778dc6888AB6870e',
  '0xA7e5d5A720f06526557c513402f2e6B5fA20b008',
] as const
const CLEAN = [
  '0x4444444444444444444444444444444444444444',
  '0x5555555555555555555555555555555555555555',
] as const

describe.skipIf(missing !== undefined)('an installation on three brokers under faults', () => {
  const seed = runSeed()
  // The load draws in the order of its answers, so the faults use a separate generator.
  const random = seededRandom(seed)
  const loadRandom = seededRandom(seed + 1)
  let installation: Installation
  let customers: Customers
  let watches: Watches

  beforeAll(async () => {
    installation = await startFaultInstallation()
    await importLists(installation)
    const key = await enterpriseKey(installation)
    const { baseUrls } = installation
    customers = await startCustomers({ baseUrls, key, random: loadRandom, addresses: [...LISTED, ...CLEAN] })
    watches = await watchAddresses(installation, customers.client, loadRandom)
  }, LIMIT_MS)
  afterAll(async () => {
    await (customers as Customers | undefined)?.close()
    await (installation as Installation | undefined)?.stop()
  }, LIMIT_MS)

  test(
    'faults lose, change, double and whitewash nothing, and everything works again',
    async () => {
      const kinds = faultKinds.filter(
        (kind) =>
          ONLY.some((part) => kind.name.includes(part)) && (kind.hindrance?.(installation) ?? null) === null,
      )
      const order = shuffled(kinds, random)
      const recoveries: Recovery[] = []
      let seen = 0
      try {
        for (const index of casesWithin(SUITE, seed)) {
          const chosen = [order[index] ?? anyOf(random, kinds)]
          if (index >= order.length && random.below(OVERLAP_EVERY) === 0) chosen.push(anyOf(random, kinds))
          if (index % LISTING_EVERY === 0) watches.listNext()
          const names = chosen.map(({ name }) => name)
          const drawn = chosen.map(() => seededRandom(random.below(2 ** 31)))
          await Promise.all(chosen.map((kind, place) => makeFault(kind, place, drawn[place]!)))
          const took = await recovery(names.join(' and '), Date.now())
          recoveries.push({ kinds: names, ...took })
          process.stdout.write(
            `cluster faults: case ${index}: ${names.join(' and ')}: ${JSON.stringify({ ...took.ms, brokers: took.clusterMs })}\n`,
          )
          expect([...customers.screens.offences, ...customers.offences], names.join()).toEqual([])
          expect(falseGreens(customers.screens.answered, new Set(LISTED), seen)).toEqual([])
          seen = customers.screens.answered.size
        }
      } finally {
        tell(recoveries)
      }
      await customers.stop()
      expect(await watches.notToldOnce(customers.receiver)).toEqual([])
      const held = await expectAllHeld(installation, customers, new Set(LISTED))
      process.stdout.write(`cluster faults: ${JSON.stringify(held)}\n`)
      expect((await installation.command('audit', 'verify')).exitCode).toBe(0)
      expect(await installation.json('upgrade')).toMatchObject({ changed: false })
    },
    LIMIT_MS,
  )

  async function makeFault(kind: FaultKind, place: number, own: Random): Promise<void> {
    const [shortest, longest] = DURATION.split('-').map((text) => Number(text) * 1_000) as [number, number]
    const lasting = shortest + own.next() * (longest - shortest)
    // The second fault begins while the first one lasts.
    if (place > 0) await pause(own.next() * lasting)
    const end = await kind.begin(installation, own)
    await pause(lasting)
    await end()
  }

  async function recovery(what: string, endedAt: number): Promise<Pick<Recovery, 'ms' | 'clusterMs'>> {
    let clusterMs: number | null = null
    let isOver = false
    const watching = (async () => {
      while (!isOver && clusterMs === null) {
        await pause(POLL_MS)
        if (await installation.cluster.serves().catch(() => false)) clusterMs = Date.now() - endedAt
      }
    })()
    const entries = noticed.map(async (each): Promise<[Noticed, number]> => {
      const at = await until(`${each} after: ${what}`, RECOVERY_LIMIT_MS, async () => {
        await pause(POLL_MS)
        return customers.workedSince(each, endedAt)
      })
      return [each, at - endedAt]
    })
    try {
      const ms = Object.fromEntries(await Promise.all(entries)) as Recovery['ms']
      return { ms, clusterMs }
    } finally {
      isOver = true
      await watching
    }
  }

  function tell(recoveries: readonly Recovery[]): void {
    const faults = recoveries.reduce((sum, { kinds }) => sum + kinds.length, 0)
    const late = recoveries.filter(({ ms }) => Math.max(...Object.values(ms)) > PROMISED_RECOVERY_MS).length
    const statuses = JSON.stringify([...customers.screens.statuses])
    const ends = [installation.postgres, installation.registry, ...installation.services]
      .concat(installation.cluster.brokers as never)
      .flatMap(({ name, ends: reasons }) => reasons.map((reason) => `${name}: ${reason}`))
    process.stdout.write(
      [
        `cluster faults: ${faults} faults of ${DURATION} s in ${recoveries.length} cases, ${late} of them worked again only after more than ${PROMISED_RECOVERY_MS / 1_000} s`,
        recoveryTable(recoveries),
        `statuses of screens ${statuses}; ended unasked: ${ends.length}`,
        ...ends.slice(0, 40),
        '',
      ].join('\n'),
    )
  }
})

/**
 * With a whole list in force, a clean label makes an address green unless a designation contradicts it. Each listed address has both:
 * a reader that misses some of its labels calls it green.
 */
async function importLists({ folder, json }: Installation): Promise<void> {
  const today = new Date().toISOString()
  const write = (name: string, addresses: readonly string[], rest: string): string => {
    const rows = addresses.map((address) => `${address},ETH,${rest},${today.slice(0, 10)}`)
    const file = join(folder, `${name}.csv`)
    writeFileSync(file, `${[LABEL_HEADER, ...rows].join('\n')}\n`)
    return file
  }
  const clean = 'clean_exchange,An Exchange,clean_list,https://example.org/list,0.9'
  const listed = 'sanctions,Designated,ofac_sdn,https://example.org/sdn,0.99'
  const imported = ['labels', 'import', '--format', 'csv']
  await json(...imported, write('listed', LISTED, listed), '--set', 'sdn', '--whole', '--as-of', today)
  await json(...imported, write('clean', [...LISTED, ...CLEAN], clean), '--set', 'clean_list')
}

async function enterpriseKey({ json }: Installation): Promise<string> {
  const { account_id: account } = await json<{ account_id: string }>('accounts', 'create', 'Faults')
  const order = ['--account', account, '--scope', 'read-write', '--plan', 'enterprise']
  return (await json<{ key: string }>('keys', 'create', ...order)).key
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items]
  return items.map(() => left.splice(random.below(left.length), 1)[0]!)
}
