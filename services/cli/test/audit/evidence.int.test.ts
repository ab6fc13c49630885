/** The owner's account of the database can change the log; the leaves of the transparency log reveal the change. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { startProjector } from '@cupel/projector'
import { loadConfig } from '@cupel/kit/service'
import { createSigningKeys, readSigningKeys, rotateSigningKey, verifierKey } from '@cupel/signing'
import { cosigner, startTestWitness, until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { logKey, SIGNING_KEYS_FILE, transparencyFolder } from '@cupel/evidence/transparency'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ACCOUNT, insertAccounts } from '../account-rows.js'
import { openCommandLine, type CommandLine } from '../command-line.js'
import type { Status } from '@cupel/operation/commands'
import { readPublicKeys } from '@cupel/command-line/installation'

const TOPIC = topicOf('AccountCreated')
const ACCOUNTS = 60

let installation: CommandLine
let copies: string
let stopProjector: () => Promise<void>
beforeEach(async () => {
  copies = mkdtempSync(join(tmpdir(), 'cupel-copies-'))
  installation = await openCommandLine({
    CUPEL_CHECKPOINT_INTERVAL_MS: '100',
    CUPEL_CHECKPOINT_FOLDER: copies,
  })
  installation.onClose(async () => rmSync(copies, { recursive: true }))
  const { deps, folder, environment } = installation
  createSigningKeys(join(folder, SIGNING_KEYS_FILE))
  const projector = await startProjector({ ...deps, config: loadConfig(environment) })
  stopProjector = () => projector.stop()
  installation.onClose(stopProjector)
})
afterEach(() => installation.close())

interface Verified {
  readonly problem_count: number
  readonly is_proven: boolean
  readonly warnings: readonly string[]
  readonly transparency: {
    readonly records: number
    readonly faults: readonly { readonly detail: string }[]
    readonly problems: readonly object[]
    readonly accepted: readonly object[]
  } | null
}

/** A log that names a signing key has leaves. */
const goneTree = { exitCode: 1, is_proven: false, problems: [{ row: 'transparency.log' }] }

const verify = async (...options: string[]): Promise<Verified & { exitCode: number }> => {
  const { out, exitCode } = await installation.cupel('audit', 'verify', ...options, '--json')
  return { ...(JSON.parse(out) as Verified), exitCode }
}

/** Accounts that are in the log, in the tables, and in a published checkpoint; then the services stop. */
async function accountsInLog({ stops = true, more = 0 } = {}): Promise<void> {
  const ids = Array.from({ length: more === 0 ? ACCOUNTS : more }, (_, index) => `acc_${index}`)
  await insertAccounts(installation.database, ids)
  await installation.append(
    ...ids.map((accountId) => testEvent('AccountCreated', accountId, { accountId, ...ACCOUNT, reason: '' })),
  )
  const log = await installation.log.identity()
  await until(async () =>
    expect(
      await installation.database.query(
        `SELECT next FROM projection.checkpoint
         WHERE group_name = 'projector.transparency.v1' AND log = $1 AND topic = ANY ($2) ORDER BY next`,
        [log, [TOPIC, topicOf('SigningKeyPublished')]],
      ),
    ).toEqual([{ next: 1 }, { next: ACCOUNTS + more }]),
  )
  if (stops) await stopProjector()
}

test('a removed end is named by verify, refused by a replay, and taken only by an operator’s word, which is recorded', async () => {
  await accountsInLog()
  expect(await verify()).toMatchObject({ exitCode: 0, is_proven: true, problem_count: 0 })
  await installation.database.execute(
    `DELETE FROM log.record WHERE record_offset >= 9 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $1)`,
    [TOPIC],
  )
  const missing = { topic: TOPIC, partition: 0, kind: 'no-record', offset: 9, to: ACCOUNTS }
  expect(await verify()).toMatchObject({
    exitCode: 1,
    is_proven: false,
    transparency: { problems: [missing] },
  })
  const told = (await installation.cupel('audit', 'verify')).out
  expect(told).toContain(`no-record: ${TOPIC}/0 at 9 to 59: these records are missing from the log`)

  const replay = await installation.cupel('audit', 'replay', '--target', 'audit-view')
  expect((replay.error as Error).message).toMatch(
    /ends at offset 9, and its records up to 60 were signed.*accept-shorter/,
  )

  const { deps, environment } = installation
  const start = () => startProjector({ ...deps, config: loadConfig(environment) })
  await expect(start()).rejects.toThrow(
    /ends at offset 9, and its records up to 60 were signed.*accept-shorter/,
  )

  const accepted = ['log', 'accept-shorter', '--reason', 'the disk was lost'] as const
  expect(await installation.json(...accepted)).toMatchObject({
    lost: [{ topic: TOPIC, from: 9, to: ACCOUNTS }],
  })
  expect(await verify()).toMatchObject({
    exitCode: 0,
    transparency: { accepted: [{ reason: 'the disk was lost' }] },
  })
  const again = await installation.cupel('audit', 'replay', '--target', 'audit-view')
  expect([again.error, again.exitCode]).toEqual([null, 0])

  const projector = await start()
  installation.onClose(() => projector.stop())
  await until(async () => {
    const { out } = await installation.cupel('audit', 'export')
    expect(out).toContain('ShorterLogAccepted')
    expect(out).toContain('the disk was lost')
  })
  await until(() => expect(projector.checks()).toContainEqual({ name: 'transparency', ok: true }))
})

test('witnesses that the projector asks are told by status and doctor, and verify asks for their cosignatures', async () => {
  await stopProjector()
  const { deps, environment, folder, log } = installation
  const { signer } = readSigningKeys(join(folder, SIGNING_KEYS_FILE))
  const key = logKey(signer.key, await log.identity())
  const logs = new Map([[key.name, verifierKey(key)]])
  const witness = await startTestWitness({ logs })
  installation.onClose(() => witness.close())
  const { name, url, vkey } = witness
  const file = join(folder, 'witnesses.json')
  const named = { quorum: 1, witnesses: [{ name, url, vkey }], allowed_ranges: ['127.0.0.0/8'] }
  writeFileSync(file, JSON.stringify({ ...named, quorum: 2 }))
  const config = loadConfig({ ...environment, CUPEL_WITNESSES_FILE: file })
  await expect(startProjector({ ...deps, config })).rejects.toThrow('Of 1 witnesses, 2 cannot be needed.')
  writeFileSync(file, JSON.stringify(named))
  const projector = await startProjector({ ...deps, config })
  stopProjector = () => projector.stop()
  installation.onClose(stopProjector)
  await accountsInLog({ stops: false })
  const { cosigning } = await until(async () => {
    const status = await installation.json<Status>('status')
    expect(status.cosigning?.cosigned_size).toBe(status.cosigning?.size)
    expect(status.cosigning?.size).toBeGreaterThanOrEqual(ACCOUNTS)
    return status
  })
  expect(cosigning!.witnesses).toMatchObject([{ name, failure: null, failures: 0 }])
  expect(projector.checks()).toContainEqual({ name: 'witnesses', ok: true })
  await stopProjector()

  expect(await verify('--witness', vkey)).toMatchObject({
    exitCode: 0,
    transparency: { cosigned: { cosignatures: [{ witness: name }] } },
  })
  expect((await installation.cupel('audit', 'verify', '--witness', vkey)).out).toContain(
    `Cosigned by ${name} at `,
  )
  const other = cosigner('other.example', 7).vkey
  expect(await verify('--witness', vkey, other)).toMatchObject({
    ...{ exitCode: 1, is_proven: false },
    transparency: { faults: [{ detail: expect.stringContaining('Missing: other.example.') as string }] },
  })
  expect(await verify('--witness', vkey, other, '--witnesses-needed', '1')).toMatchObject({ exitCode: 0 })
  // Without a transparency log there is nothing to compare with, and no cosignature.
  rmSync(join(folder, 'checkpoints', 'transparency'), { recursive: true })
  for (const table of ['witness', 'subtree', 'leaf', 'place', 'log'])
    await installation.database.execute(`DELETE FROM transparency.${table}`)
  expect(await verify()).toMatchObject({ ...goneTree, transparency: null })
  expect(await verify('--witness', vkey)).toMatchObject({ exitCode: 1, is_proven: false })
})

test('without the leaves that its log speaks of verify fails, and says that it compared with none', async () => {
  await accountsInLog()
  expect(await verify('--min-leaves', '1')).toMatchObject({ exitCode: 0 })
  expect(await verify('--min-leaves', '1000')).toMatchObject({ exitCode: 1, is_proven: false })
  const folder = transparencyFolder(
    join(installation.folder, 'checkpoints'),
    await installation.log.identity(),
  )
  rmSync(folder, { recursive: true })
  expect(await verify()).toMatchObject({
    exitCode: 1,
    transparency: { faults: [{ detail: expect.stringContaining('checkpoint is gone') as string }] },
  })
  for (const table of ['witness', 'subtree', 'leaf', 'place', 'log'])
    await installation.database.execute(`DELETE FROM transparency.${table}`)
  expect(await verify()).toMatchObject({ ...goneTree, transparency: null })
  expect((await installation.cupel('audit', 'verify')).out).toContain(
    'Not compared with the transparency log: there is none in',
  )
  expect(await verify('--min-leaves', '1')).toMatchObject({ exitCode: 1, is_proven: false })
})

test('a record whose time was moved, and files that were set back to an older state, are named with the time before which they were not', async () => {
  await accountsInLog({ stops: false })
  const folder = transparencyFolder(
    join(installation.folder, 'checkpoints'),
    await installation.log.identity(),
  )
  const second = folder.replace(join(installation.folder, 'checkpoints'), copies)
  const older = join(installation.folder, 'older')
  // The leaves are in the database before they are in the files.
  await until(() => expect(existsSync(join(second, 'checkpoint'))).toBe(true))
  cpSync(folder, older, { recursive: true })
  const before = new Date()
  await accountsInLog({ more: 3 })
  const ofRecord = `record_offset = 9 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $1)`
  const move = (by: string) =>
    installation.database.execute(
      `UPDATE log.record SET appended_at = appended_at + interval '${by}' WHERE ${ofRecord}`,
      [TOPIC],
    )
  await move('30 days')
  const records = await installation.records(TOPIC)
  const since = new Date(records[8]!.timestampMs!).toISOString()
  const meaning = expect.stringContaining('do not rely on the order and the times') as string
  expect(await verify()).toMatchObject({
    ...{ exitCode: 1, exit_code: 1 },
    transparency: { problems: [{ topic: TOPIC, kind: 'other-time', offset: 9, to: 10, since, meaning }] },
  })
  const { out } = await installation.cupel('audit', 'verify')
  for (const part of [`It was not so before ${since}.`, 'other-time means: ', 'Exit code 1.'])
    expect(out).toContain(part)
  await move('-30 days')
  expect(await verify()).toMatchObject({ exitCode: 0, transparency: { problems: [], faults: [] } })
  for (const each of [folder, second]) {
    rmSync(each, { recursive: true })
    cpSync(older, each, { recursive: true })
  }
  const { transparency } = await verify()
  for (const each of [folder, second]) {
    const fault = transparency!.faults.find(({ detail }) => detail.startsWith(`${each} holds`)) as {
      readonly detail: string
      readonly since: string
    }
    expect(fault.detail).toContain('older files were put there')
    expect(Date.parse(fault.since)).toBeLessThanOrEqual(before.getTime())
  }
})

test('records without a leaf for a minute, and an old cosignature, are warnings of verify without any flag', async () => {
  await accountsInLog()
  const { database } = installation
  expect(await verify()).toMatchObject({ exitCode: 0, warnings: [] })
  await insertAccounts(database, ['acc_late'])
  await installation.append(
    testEvent('AccountCreated', 'acc_late', { accountId: 'acc_late', ...ACCOUNT, reason: '' }),
  )
  const place = `record_offset = ${ACCOUNTS} AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = '${TOPIC}')`
  const appended = (ago: string) =>
    database.execute(`UPDATE log.record SET appended_at = now() - interval '${ago}' WHERE ${place}`)
  await appended('5 seconds')
  expect(await verify()).toMatchObject({ exitCode: 0, warnings: [] })
  await appended('61 seconds')
  const unleafed = expect.stringMatching(
    /^1 records have had no leaf since 20.*Z: nothing would show a change/,
  ) as string
  expect(await verify()).toMatchObject({ exitCode: 0, warnings: [unleafed] })
  await database.execute(
    `INSERT INTO transparency.witness (number, vkey, failure) SELECT number, 'witness.example+1+x', 'it does not answer' FROM transparency.log`,
  )
  const cosigned = (ago: string) =>
    database.execute(
      `UPDATE transparency.log SET cosigned_size = size - 1, cosigned = checkpoint, cosigned_at = now() - interval '${ago}'`,
    )
  await cosigned('9 minutes')
  expect(await verify()).toMatchObject({ warnings: [unleafed] })
  await cosigned('11 minutes')
  const uncosigned = expect.stringMatching(
    /^Too few witnesses cosign .*witness\.example: it does not answer/,
  ) as string
  expect(await verify()).toMatchObject({ exitCode: 0, warnings: [uncosigned, unleafed] })
  const { out } = await installation.cupel('audit', 'verify')
  for (const said of ['Too few witnesses cosign', '1 records have had no leaf since'])
    expect(out).toContain(said)
})

test('the public keys are in the log, and checkpoints of an earlier key still verify after a rotation', async () => {
  await accountsInLog()
  const file = join(installation.folder, SIGNING_KEYS_FILE)
  const next = rotateSigningKey(file)
  expect(await verify()).toMatchObject({ exitCode: 0 })
  const { deps, environment } = installation
  const projector = await startProjector({ ...deps, config: loadConfig(environment) })
  installation.onClose(() => projector.stop())
  await until(async () => {
    const events = await installation.records(topicOf('SigningKeyPublished'))
    expect(events.map(({ key }) => key)).toContain(next.id)
    expect(events).toHaveLength(2)
  })
  const { keys } = await installation.json<{ keys: { key_id: string; is_active: boolean }[] }>(
    'log',
    'signing-keys',
  )
  expect(keys).toMatchObject([{ is_active: false }, { is_active: true, key_id: next.id }])
  // What the command prints for people is a file that verifiers take.
  const printed = join(installation.folder, 'keys.txt')
  writeFileSync(printed, (await installation.cupel('log', 'signing-keys')).out)
  expect(readPublicKeys(printed).map(({ id }) => id)).toEqual(keys.map(({ key_id: id }) => id))
})

test('an outage of the folder, and files that nobody signed, stop no start; an older database does', async () => {
  await accountsInLog()
  const { deps, environment, folder, log, database } = installation
  const published = transparencyFolder(join(folder, 'checkpoints'), await log.identity())
  const start = async (): Promise<void> => {
    const projector = await startProjector({ ...deps, config: loadConfig(environment) })
    await projector.stop()
  }
  const file = join(published, 'checkpoint')
  const content = readFileSync(file, 'utf8')
  rmSync(file)
  mkdirSync(file)
  await start()
  rmSync(file, { recursive: true })
  const [origin, size, ...rest] = content.split('\n')
  writeFileSync(file, [origin, String(Number(size) + 1000), ...rest].join('\n'))
  await start()

  writeFileSync(file, content)
  for (const table of ['witness', 'subtree', 'leaf', 'place', 'log'])
    await database.execute(`DELETE FROM transparency.${table}`)
  await expect(start()).rejects.toThrow(/an older database was restored/)
})
