/**
 * An attacker with the rights of the log's owner removes the end of the embedded log. `packages/evidence` tests the same for Kafka,
 * where each of these commands would start brokers.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cupel } from '../command.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { asOwner, victimClient, type Target } from './target.js'

const TOPIC = 'access.account.events.v1'
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REASON = 'the attack removed them'
/** Only a hang takes longer. */
const TIMEOUT_MS = 120_000

/** The number of leaves that the published checkpoint has; 0 if there is none. */
function publishedLeaves(home: string): number {
  const folder = join(home, 'checkpoints', 'transparency')
  const [log] = readdirSync(folder)
  return log === undefined ? 0 : Number(readFileSync(join(folder, log, 'checkpoint'), 'utf8').split('\n')[1])
}

/** Waits until every record that the log has now has a published leaf. */
async function everyLeaf(home: string): Promise<void> {
  await until('a leaf of every record', TIMEOUT_MS, async () => {
    const { stdout } = await cupel(home, ['audit', 'verify', '--json'])
    const { leaves, pending } = (JSON.parse(stdout) as Verified).transparency
    return pending === 0 && publishedLeaves(home) >= leaves
  })
}

async function accountsOf(home: string): Promise<number> {
  const { stdout } = await cupel(home, ['accounts', 'list', '--json'])
  return (JSON.parse(stdout) as { items: readonly unknown[] }).items.length
}

/** Removes the records from the last one of `end` on. Returns the first offset that is gone. */
async function removeEnd(target: Target, end: number): Promise<number> {
  await asOwner(
    target,
    'DELETE FROM log.record WHERE record_offset >= $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2)',
    [end - 1, TOPIC],
  )
  return end - 1
}

/** The commands that refuse to work while the records are gone and nobody has accepted the shorter log. */
async function refusals(home: string, start: string, from: number): Promise<string[]> {
  const sentence = `ends at offset ${from}, and its records up to `
  const names = (text: string): boolean => text.includes(sentence) && text.includes('accept-shorter')
  const replay = await cupel(home, ['audit', 'replay', '--target', 'audit-view'])
  return [
    ...(names(start) ? ['start'] : []),
    ...(replay.exitCode !== 0 && names(replay.stderr) ? ['replay'] : []),
  ]
}

/** Whether `cupel audit verify` names the records. */
async function isVerified(home: string, from: number, least: number): Promise<boolean> {
  const { exitCode, stdout } = await cupel(home, ['audit', 'verify', '--json'])
  const { problems } = (JSON.parse(stdout) as Verified).transparency
  const isNamed = problems.some(
    (one) => one.topic === TOPIC && one.kind === 'no-record' && one.offset === from && one.to >= least,
  )
  return exitCode === 1 && isNamed
}

interface Verified {
  readonly transparency: {
    readonly leaves: number
    readonly pending: number
    readonly problems: readonly { topic: string; kind: string; offset: number; to: number }[]
  }
}

/** Whether the audit log names the operator who accepted the log, and the reason. */
async function isRecorded(home: string, by: string): Promise<boolean> {
  const line = await until('the acceptance in the audit log', TIMEOUT_MS, async () => {
    const { stdout } = await cupel(home, ['audit', 'export'])
    return stdout.split('\n').find((one) => one.includes('ShorterLogAccepted'))
  })
  return line.includes(by) && line.includes(REASON)
}

/** Runs last, because it restarts the installation. */
export const shorterLog: readonly Attack[] = [
  {
    name: 'the end of the embedded log, removed by its owner',
    threat: 'forgery',
    isLong: true,
    place: 'embedded',
    async run(target) {
      const { home } = target.installation
      const created = await cupel(home, ['accounts', 'create', 'Removed', '--json'])
      if (created.exitCode !== 0) throw new Error(created.stderr)
      // Each account has a record, and those that another attack changed or erased have more.
      const end = await accountsOf(home)
      await everyLeaf(home)
      const from = await removeEnd(target, end)
      await target.stop()
      const start = await target.start().then(
        () => 'it started',
        (error: unknown) => (error as Error).message,
      )
      const refusing = await refusals(home, start, from)
      const isNamed = await isVerified(home, from, end)
      const accepted = await cupel(home, ['log', 'accept-shorter', '--reason', REASON, '--json'])
      if (accepted.exitCode !== 0) throw new Error(accepted.stderr)
      const { accepted_by: by } = JSON.parse(accepted.stdout) as { accepted_by: string }
      await target.start()
      const [recorded, screen] = [await isRecorded(home, by), await screened(target)]
      return {
        limit: 'start and replay refuse; taken only by a recorded word (Kafka: shorter-log.kafka.test.ts)',
        measured: `${end - from} gone: refused by ${refusing.join(' and ')}${isNamed ? ', named by verify' : ''}; the word ${recorded ? 'recorded' : 'NOT recorded'}; a screen ${screen}`,
        held: refusing.length === 2 && isNamed && recorded && screen === 200,
      }
    },
  },
]

async function screened(target: Target): Promise<number> {
  const client = victimClient(target)
  try {
    return (await client.screen(LABELLED)).status
  } finally {
    await client.close()
  }
}
