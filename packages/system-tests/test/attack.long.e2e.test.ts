/**
 * The installation withstands hostile callers: each attack stays within its limit. No generated abuse gets a 500, gets data of
 * another tenant or ends the process. `npm run attack` prints the table; `npm run test:night` attacks every target.
 */
import {
  casesWithin,
  drawnWithin,
  executeAt,
  isLongRun,
  noteSkip,
  runSeed,
  scanFiles,
  startIdentityProvider,
} from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attacks,
  attackTable,
  createAbuser,
  places,
  proxies,
  proxyNames,
  startAttacked,
  victimClient,
  whyNotAt,
  type AttackedInstallation,
  type AttackRow,
  type ProxyName,
  type Target,
  type TargetKind,
} from '../src/attacks/index.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Number of abuses of each target, drawn from the seed. A long run makes all of them, however long that takes. */
const ABUSES = { full: 5_000, minimum: 500, demanded: 5_000 }
/** Concurrent abuses. */
const ABUSERS = 8
/** Number of abuses between two screens of an ordinary client. */
const ROUND = 100
const SEEDS_PER_RUN = 1_000_000
/** An attack may end and start an installation several times. Only a hang takes longer. */
const ATTACK_TIMEOUT_MS = 900_000
/** Of all abuses of a target, on a busy machine. */
const ABUSES_TIMEOUT_MS = 1_800_000

interface TargetOrder {
  readonly name: string
  readonly kafka: boolean
  readonly proxy: ProxyName | null
}

const kindOf = ({ kafka, proxy }: TargetOrder): TargetKind => ({ log: kafka ? 'kafka' : 'embedded', proxy })

const direct: TargetOrder = { name: 'embedded', kafka: false, proxy: null }
const further: readonly TargetOrder[] = [
  ...proxyNames.map((proxy) => ({ name: `embedded behind ${proxy}`, kafka: false, proxy })),
  { name: 'kafka', kafka: true, proxy: null },
]
const missing = proxyNames.filter((name) => !proxies[name].isInstalled())
const orders = [direct, ...drawnWithin({ name: 'further targets of attacks', minimum: 0 }, further)]
for (const { proxy, name } of orders)
  if (proxy !== null && missing.includes(proxy)) noteSkip(`no ${proxy} to attack "${name}" through`)

const made = attacks.filter(({ isLong }) => isLong !== true || isLongRun())
const hindered = made.filter(({ name, hindrance }) => {
  const reason = hindrance?.() ?? null
  if (reason !== null) noteSkip(`no attack with ${name}: ${reason}`)
  return reason !== null
})
const possible = made.filter((attack) => !hindered.includes(attack))

const rows: AttackRow[] = []
/** All targets of one log share one installation. */
const installations = new Map<boolean, Promise<AttackedInstallation>>()
function installationOf({ kafka }: TargetOrder): Promise<AttackedInstallation> {
  const started =
    installations.get(kafka) ??
    startAttacked({ kafka, executeAsOwner: executeAt, startSignInService: startIdentityProvider, scanFiles })
  installations.set(kafka, started)
  return started
}
afterAll(async () => {
  process.stdout.write(`${attackTable([...rows, ...notMade()])}\n`)
  for (const started of installations.values()) await (await started).stop()
})

/** A row for each attack that is not made on every target, with the reason. */
function notMade(): AttackRow[] {
  return made.flatMap(({ name, place }) =>
    place === undefined
      ? []
      : [
          {
            target: '',
            attack: name,
            limit: 'not on every target',
            measured: places[place].reason,
            held: null,
          },
        ],
  )
}

describe.each(orders)('against $name', (order) => {
  const isMissing = order.proxy !== null && missing.includes(order.proxy)
  let target: Target
  beforeAll(async () => {
    if (!isMissing) target = await (await installationOf(order)).target(order.proxy)
  })

  test.skipIf(hindered.length > 0).each(hindered)('$name: cannot be made here', () => undefined)

  // A further target differs from the first one in its way to the API, or in its log.
  const applying = possible.filter(({ place }) => whyNotAt(place, kindOf(order)) === null)
  const chosen =
    order === direct ? applying : drawnWithin({ name: `attacks against ${order.name}`, minimum: 1 }, applying)
  test.skipIf(isMissing).each(chosen)(
    '$name: the limit holds',
    { timeout: ATTACK_TIMEOUT_MS },
    async (attack) => {
      const outcome = await attack.run(target)
      rows.push({ target: target.name, attack: attack.name, ...outcome })
      expect(outcome, outcome.measured).toMatchObject({ held: true })
    },
  )

  test.skipIf(isMissing)(
    'whatever is sent, nothing breaks and nothing is told',
    { timeout: ABUSES_TIMEOUT_MS },
    async () => {
      const seed = runSeed()
      const abuser = await createAbuser(target, seed * SEEDS_PER_RUN)
      const faults: string[] = []
      let made = 0
      const suite = { name: `abuses against ${target.name}`, ...ABUSES }
      const cases = casesWithin(suite, seed)
      const next = async (): Promise<void> => {
        for (const index of cases) {
          const fault = await abuser.abuse(index)
          if (fault !== null) faults.push(`abuse ${index}: ${fault}`)
          made += 1
          if (made % ROUND === 0) expect(await ordinaryScreen(target)).toBe(200)
        }
      }
      await Promise.all(Array.from({ length: ABUSERS }, next))
      const held = faults.length === 0 && target.installation.supervisor.exitCode === null
      rows.push({
        target: target.name,
        attack: `${made} generated abuses`,
        limit: 'no 500, no leak, no silence',
        measured: `${faults.length} faults`,
        held,
      })
      expect(faults).toEqual([])
      expect(target.installation.supervisor.exitCode).toBeNull()
      expect(await ordinaryScreen(target)).toBe(200)
    },
  )
})

/** Goes through the proxy if there is one. */
async function ordinaryScreen(target: Target): Promise<number> {
  const client = victimClient(target)
  try {
    return (await client.screen(LABELLED)).status
  } finally {
    await client.close()
  }
}
