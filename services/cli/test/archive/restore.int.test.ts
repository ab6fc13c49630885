/** An installation that kept only an archive and its keys proves and answers the same as before. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseBehindLog } from '@cupel/gate/access'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { topicOf, type ReportGenerated } from '@cupel/contracts'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { startProjector } from '@cupel/projector'
import { killedAt, until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { openDecided, type Decided } from '../decided.js'
import { giveLeaves } from '../retention/leaves.js'
import { SANCTIONED } from '../some-labels.js'

let decided: Decided
let again: CommandLine
let report: ReportGenerated
let archive: string
beforeAll(async () => {
  decided = await openDecided({ signs: true })
  await decided.importLabels('sdn', [SANCTIONED.row])
  report = await decided.screen(SANCTIONED.address, 'ETH')
  // Checkpoints and archives are signed with the same key, which the projector publishes.
  const topic = topicOf('SigningKeyPublished')
  await until(async () => expect(await decided.log.endOffset(topic, 0)).toBeGreaterThan(0))
  archive = join(decided.folder, 'archive')
  await decided.json('archive', 'create', archive)
  again = await another()
})
afterAll(async () => {
  await again.close()
  await decided.close()
})

/** An installation without records, with its own log. */
async function another(): Promise<CommandLine> {
  const installation = await openCommandLine({}, { openLog: (database) => openEmbeddedLog({ database }) })
  copyFileSync(join(decided.folder, SIGNING_KEYS_FILE), join(installation.folder, SIGNING_KEYS_FILE))
  return installation
}

interface Verified {
  readonly problem_count: number
  readonly signatures: { readonly signed: number; readonly unsigned: number }
}

const PROCESS = new URL('../cupel-process.ts', import.meta.url)
const REASON = ['--reason', 'The disk is lost.']

test('the log of an archive verifies, with every signature, and gives the same reports', async () => {
  const refused = await again.cupel('archive', 'restore', archive)
  expect(refused.error).toHaveProperty('exitCode', 2)
  // A database of another release, or of another registry, has other numbers for the same schemas.
  await again.database.execute('UPDATE log.schema_version SET schema_id = 1')
  await again.database.execute('DELETE FROM log.schema WHERE id > 1')
  const restored = await again.json<Record<string, unknown>>('archive', 'restore', archive, ...REASON)
  const archived = await decided.log.identity()
  expect(restored).toMatchObject({ archived, present: 0, follows: null })
  expect(restored['log']).not.toBe(archived)
  // The restored log took its records at another time.
  const reportsOf = async (of: Pick<CommandLine, 'records'>) =>
    (await of.records(topicOf('ReportGenerated'))).map((record) => ({ ...record, timestampMs: undefined }))
  expect(await reportsOf(again)).toEqual(await reportsOf(decided))

  expect(await again.json('restore', '--older-database', ...REASON)).toMatchObject({ may_start: true })
  expect(await again.json('audit', 'recompute', '--level', 'A')).toMatchObject({
    ...{ is_proven: true, reports: 1, levels: { A: { same: 1 } } },
  })
  // Reports carry signatures for the previous log: a service appends the event that names that log.
  const projector = await startProjector({ ...again.deps, database: again.connect() })
  again.onClose(() => projector.stop())
  const [adopted] = await until(async () => {
    const records = await again.records(topicOf('LogAdopted'))
    expect(records.filter((record) => again.codec.decode(record)?.type === 'LogAdopted')).toHaveLength(1)
    return records.map((record) => again.codec.decode(record)).filter((event) => event?.type === 'LogAdopted')
  })
  expect(adopted?.data).toMatchObject({ replaces: archived, manifest: 1, reason: REASON[1] })
  await giveLeaves(again)
  const verified = await again.json<Verified>('audit', 'verify')
  expect(verified.signatures).toMatchObject({ signed: 1, unsigned: 0 })
  expect(verified.problem_count).toBe(0)
  expect(report.level).toBe('red')
})

test('a log that has gone on is not restored over, and a database that follows another log adopts the restored one by its checkpoints', async () => {
  // The event of the adoption comes after the records of the archive.
  const present = await again.cupel('archive', 'restore', archive, ...REASON)
  expect(present.error).toHaveProperty('message', expect.stringContaining('into an empty log'))
  const other = await another()
  try {
    await other.database.execute(
      `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log)
       VALUES ('some.reader.v1', 'screening.report.events.v1', 0, 0, 'elsewhere')`,
    )
    const restored = await other.json<Record<string, unknown>>('archive', 'restore', archive, ...REASON)
    expect(restored).toMatchObject({ follows: 'elsewhere' })
    const { out } = await other.cupel('archive', 'restore', archive, ...REASON)
    expect(out).toContain('were there already, and are the same')
    expect(out).toContain('cupel log adopt')
  } finally {
    await other.close()
  }
})

test('killed at any point no service starts on the half of a log, until another run and `cupel restore` are done', async () => {
  const halved = await another()
  try {
    const args = [JSON.stringify(halved.environment), 'archive', 'restore', archive, ...REASON]
    await killedAt(PROCESS, args, 'before:archive.restoration:1')
    expect(await databaseBehindLog(halved)).toBeNull()
    for (const point of [
      'after:archive.restoration:1',
      'before:archive.restore:2',
      'before:transparency.adopt:1',
    ]) {
      await killedAt(PROCESS, args, point)
      expect(await databaseBehindLog(halved), point).toContain('is not whole yet')
      const refused = await halved.json<{ refusals: string[] }>('restore', '--older-database', ...REASON)
      expect(refused, point).toMatchObject({ may_start: false })
      expect(refused.refusals).toEqual([expect.stringContaining('cupel archive restore')])
    }
    await halved.json('archive', 'restore', archive, ...REASON)
    expect(await databaseBehindLog(halved)).toContain('Run `cupel restore --dry-run`')
    expect(await halved.json('restore', '--dry-run')).toMatchObject({ may_start: true })
    expect(await databaseBehindLog(halved)).not.toBeNull()
    expect(await halved.json('restore', ...REASON)).toMatchObject({ may_start: true, older_database: true })
    expect(await databaseBehindLog(halved)).toBeNull()
    // A refused restore does not keep an installation from starting.
    const refused = await halved.cupel('archive', 'restore', archive, ...REASON)
    expect([refused.error === null, await databaseBehindLog(halved)]).toEqual([true, null])
  } finally {
    await halved.close()
  }
})
