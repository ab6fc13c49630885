/** An installation that lost everything but an archive and its keys proves and answers what it answered before. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPORT_SIGNING_KEYS_FILE, SIGNING_KEYS_FILE } from '@cupel/checkpoints'
import { topicOf, type ReportGenerated } from '@cupel/contracts'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { startProjector } from '@cupel/projector'
import { createSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../../test/command-line.js'
import { openDecided, type Decided } from '../../test/decided.js'
import { SANCTIONED } from '../../test/some-labels.js'

let decided: Decided
let again: CommandLine
let report: ReportGenerated
let archive: string
beforeAll(async () => {
  decided = await openDecided({ signs: true })
  createSigningKeys(join(decided.folder, SIGNING_KEYS_FILE))
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

/** An installation with no record yet, and with a log of its own. */
async function another(): Promise<CommandLine> {
  const installation = await openCommandLine({}, { openLog: (database) => openEmbeddedLog({ database }) })
  for (const file of [SIGNING_KEYS_FILE, REPORT_SIGNING_KEYS_FILE])
    copyFileSync(join(decided.folder, file), join(installation.folder, file))
  return installation
}

interface Verified {
  readonly problem_count: number
  readonly signatures: { readonly signed: number; readonly unsigned: number }
}

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
  expect(await again.records(topicOf('ReportGenerated'))).toEqual(
    await decided.records(topicOf('ReportGenerated')),
  )

  expect(await again.json('restore', '--older-database', ...REASON)).toMatchObject({ may_start: true })
  expect(await again.json('audit', 'recompute', '--level', 'A')).toMatchObject({
    ...{ is_proven: true, reports: 1, levels: { A: { same: 1 } } },
  })
  // Reports carry signatures for the log before: a service appends the event that says which one it was.
  const projector = await startProjector({ ...again.deps, database: again.connect() })
  again.onClose(() => projector.stop())
  const [adopted] = await until(async () => {
    const records = await again.records(topicOf('LogAdopted'))
    expect(records.filter((record) => again.codec.decode(record)?.type === 'LogAdopted')).toHaveLength(1)
    return records.map((record) => again.codec.decode(record)).filter((event) => event?.type === 'LogAdopted')
  })
  expect(adopted?.data).toMatchObject({ replaces: archived, manifest: 1, reason: REASON[1] })
  const verified = await again.json<Verified>('audit', 'verify')
  expect(verified.signatures).toMatchObject({ signed: 1, unsigned: 0 })
  expect(verified.problem_count).toBe(0)
  expect(report.level).toBe('red')
})

test('a log that has gone on is not restored over, and a database that follows another log adopts the restored one by its checkpoints', async () => {
  // The event of the adoption is behind what the archive has.
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
