/** A volume that is filled to its last byte under a running installation, and emptied again. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Answer, type Client } from '../client.js'
import { cupel } from '../command.js'
import { startInstallation, type Installation } from '../installation.js'
import { mountSmallVolume, whyNoSmallVolume, type SmallVolume } from '../small-volume.js'
import { until } from '../until.js'
import type { Attack, Outcome } from './attack.js'
import { issueKey, type ExecuteAsOwner } from './target.js'

const VOLUME_BYTES = 320 * 1_048_576
/** The installation is short of space if no more than this is free. */
const WATERMARK_BYTES = 1_048_576
const SCREENS = 5
/** Number of consecutive screens that the full volume refuses. */
const REFUSALS = 20
/** Interval at which other programs take the space that the database frees. */
const REFILL_MS = 50
/** Only a hang takes longer. */
const TIMEOUT_MS = 240_000
/** More than Postgres keeps preallocated, so that it must create a file. */
const WRITTEN_BYTES = 100_000_000

export const fullDisk: readonly Attack[] = [
  {
    name: 'a volume without a free byte under the embedded log',
    threat: 'cost',
    isLong: true,
    hindrance: whyNoSmallVolume,
    place: 'embedded',
    async run({ executeAsOwner }) {
      const volume = mountSmallVolume(VOLUME_BYTES)
      try {
        const home = join(volume.folder, 'home')
        mkdirSync(home, { mode: 0o711 })
        const installation = await startInstallation({
          home,
          environment: {
            CUPEL_DISK_WATERMARK: String(WATERMARK_BYTES),
            CUPEL_SCREEN_DEADLINE_MS: '20000',
          },
        })
        try {
          return await fillAndEmpty(installation, volume, executeAsOwner)
        } finally {
          await installation.stop()
        }
      } finally {
        volume.unmount()
      }
    },
  },
]

async function fillAndEmpty(
  installation: Installation,
  volume: SmallVolume,
  executeAsOwner: ExecuteAsOwner,
): Promise<Outcome> {
  const client = createClient(installation.ready.base_urls, await enterpriseKey(installation.home))
  try {
    const answered: Answer[] = []
    for (let screen = 0; screen < SCREENS; screen += 1) answered.push(await screenNew(client))
    const full = await whileFull(volume, async () => {
      await endDatabase(installation.home, executeAsOwner)
      return { ...(await refusedScreens(client)), told: await tellsOfIt(installation) }
    })
    const isAlive = installation.supervisor.exitCode === null
    volume.makeRoom()
    answered.push(...full.answered, await screenedAgain(client))
    const kept = await keptReports(client, answered)
    const verified = await cupel(installation.home, ['audit', 'verify'])
    return {
      limit: '503 in a sentence and told of; then all goes on',
      measured: [
        `${full.refused} of ${full.refused + full.faults.length} refused${full.faults.slice(0, 1).map((fault) => ` (${fault})`)}`,
        `the slowest answer after ${(full.slowestMs / 1_000).toFixed(1)} s`,
        `told by ${full.told.join(' and ')}`,
        `${isAlive ? 'the same' : 'NO'} process goes on`,
        `${kept} of ${answered.length} reports kept`,
        `verify ends with ${verified.exitCode}`,
      ].join(', '),
      held:
        full.faults.length === 0 &&
        full.told.length === 2 &&
        isAlive &&
        installation.supervisor.exitCode === null &&
        kept === answered.length &&
        verified.exitCode === 0,
    }
  } finally {
    await client.close()
  }
}

async function enterpriseKey(home: string): Promise<string> {
  const { stdout } = await cupel(home, ['accounts', 'create', 'Full', '--json'])
  const { account_id: account } = JSON.parse(stdout) as { account_id: string }
  return await issueKey(home, account, ['--scope', 'read-write'])
}

const screenNew = (client: Client): Promise<Answer> => client.screen(`0x${randomBytes(20).toString('hex')}`)

async function whileFull<T>(volume: SmallVolume, work: () => Promise<T>): Promise<T> {
  volume.fill()
  const refilling = setInterval(() => volume.fill(), REFILL_MS)
  try {
    return await work()
  } finally {
    clearInterval(refilling)
  }
}

/** Postgres stops if it cannot write its own log. */
async function endDatabase(home: string, executeAsOwner: ExecuteAsOwner): Promise<void> {
  const { databaseUrl } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as { databaseUrl: string }
  const failed = await executeAsOwner(
    databaseUrl,
    "SELECT pg_logical_emit_message(false, 'attack', repeat('x', $1::int))",
    [WRITTEN_BYTES],
  ).then(
    () => false,
    () => true,
  )
  if (!failed) throw new Error('The database wrote to a volume that is full')
}

/** Waits until enough consecutive screens were refused. A screen that finds room becomes a normal report. */
async function refusedScreens(
  client: Client,
): Promise<{ refused: number; answered: Answer[]; faults: string[]; slowestMs: number }> {
  const answered: Answer[] = []
  const faults: string[] = []
  let [refused, inRow, slowestMs] = [0, 0, 0]
  await until('refusals in a row', TIMEOUT_MS, async () => {
    const begun = performance.now()
    const answer = await screenNew(client)
    slowestMs = Math.max(slowestMs, performance.now() - begun)
    if (answer.status === 200) answered.push(answer)
    else if (isSentence(answer)) refused += 1
    else faults.push(`${answer.status} ${answer.text.slice(0, 100)}`)
    inRow = answer.status === 200 ? 0 : inRow + 1
    return inRow >= REFUSALS
  })
  return { refused, answered, faults, slowestMs }
}

function isSentence({ status, text }: Answer): boolean {
  if (status !== 503) return false
  const { code, detail } = JSON.parse(text) as { code?: string; detail?: string }
  return code === 'unavailable' && /^[A-Z][^\n]*\.$/.test(detail ?? '')
}

/** The places where an operator sees that the volume is full; services check it once a second. */
async function tellsOfIt({ home, ready }: Installation): Promise<string[]> {
  const says = (text: string): boolean => /volume .*nearly full/.test(text)
  const readyz = ready.metrics_urls[0]!.replace(/\/metrics$/, '/readyz')
  await until('the full volume in /readyz', TIMEOUT_MS, async () => says(await (await fetch(readyz)).text()))
  const status = await cupel(home, ['status'])
  return [...(status.exitCode !== 0 && says(status.stdout + status.stderr) ? ['status'] : []), 'readyz']
}

const screenedAgain = (client: Client): Promise<Answer> =>
  until('a screen after there was room', TIMEOUT_MS, async () => {
    const answer = await screenNew(client)
    return answer.status === 200 ? answer : null
  })

/** Number of answers whose reports are stored with the same bytes. */
async function keptReports(client: Client, answered: readonly Answer[]): Promise<number> {
  let kept = 0
  for (const { status, text } of answered) {
    const { report_id: id } = JSON.parse(text) as { report_id: string }
    if (status === 200 && (await client.report(id)).text === text) kept += 1
  }
  return kept
}
