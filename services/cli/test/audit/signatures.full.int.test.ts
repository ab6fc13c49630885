/** An attacker with the record keys and the owner's account of the database can write reports with valid MACs; signatures reveal them. */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKPOINTS_FOLDER, SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import type { LogRecord, NewRecord } from '@cupel/event-log'
import {
  createSigningKeys,
  readSigningKeys,
  SIGNATURE_HEADER,
  signRecords,
  verifierKey,
} from '@cupel/signing'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callCupel } from '../command-line.js'
import { openDecided, type Decided } from '../decided.js'
import { giveLeaves } from '../retention/leaves.js'
import { SANCTIONED } from '../some-labels.js'

let decided: Decided
let report: ReportGenerated
beforeEach(async () => {
  decided = await openDecided({ signs: true })
  await decided.importLabels('sdn', [SANCTIONED.row])
  report = await decided.screen(SANCTIONED.address, 'ETH')
  await published(1)
  await giveLeaves(decided)
})
afterEach(() => decided.close())

interface Verified {
  readonly is_proven: boolean
  readonly macs_checked: boolean
  readonly signatures: {
    readonly signed: number
    readonly unsigned: number
    readonly keys: readonly { readonly key_id: string; readonly is_published: boolean }[]
  }
  readonly problems: readonly {
    readonly kind: string
    readonly topic: string
    readonly partition: number
    readonly offset: number
    readonly detail: string
  }[]
}

const keysFile = (): string => join(decided.folder, SIGNING_KEYS_FILE)
const keys = () => readSigningKeys(keysFile())

async function verify(...options: string[]): Promise<Verified & { exitCode: number }> {
  const { out, exitCode, error } = await decided.cupel('audit', 'verify', ...options, '--json')
  expect(error).toBeNull()
  return { ...(JSON.parse(out) as Verified), exitCode }
}

/** Waits until the relay has appended `count` events about keys to the log. */
async function published(count: number): Promise<void> {
  const topic = topicOf('SigningKeyPublished')
  await until(async () => expect(await decided.log.endOffset(topic, 0)).toBe(count))
}

/** Appends the report under another id, as an attacker with the record keys would. */
async function appendForged(sign: (records: readonly NewRecord[]) => readonly NewRecord[]): Promise<string> {
  const reportId = randomBytes(8).toString('hex')
  const document = report.report.replaceAll(report.reportId, reportId)
  await decided.appendSigned({ ...report, reportId, report: document }, sign)
  return reportId
}

const kinds = ({ problems }: Verified): string[] =>
  problems.filter(({ kind }) => ['signature', 'unsigned'].includes(kind)).map(({ kind }) => kind)

test('an untouched log has a signature on every report, and its key in the log', async () => {
  await decided.screen(SANCTIONED.address, 'ETH')
  expect(await verify()).toMatchObject({
    ...{ exitCode: 0, is_proven: true, macs_checked: true, problems: [] },
    signatures: {
      ...{ signed: 2, unsigned: 0 },
      keys: [{ key_id: keys().signer.key.id, is_published: true, is_trusted: true, reports: 2 }],
    },
  })
  const { out } = await decided.cupel('audit', 'verify')
  expect(out).toContain('2 records of reports are signed, 0 carry no signature.')
})

test('a report that was changed, with a right MAC, is named at its place', async () => {
  const place = await decided.rewrite(report.reportId, ({ value }) => {
    const changed = Buffer.from(value)
    changed[changed.indexOf('"red"') + 1]! ^= 1
    return { value: changed }
  })
  const verified = await verify()
  expect(verified).toMatchObject({ exitCode: 1, is_proven: false })
  const since = expect.any(String) as string
  expect(verified.problems).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'signature', ...place, row: null, since },
      detail: `The report ${report.reportId} is not what the key ${keys().signer.key.id} signed.`,
    }),
  )
})

test('a report whose signature was removed is missing one, also if the database names no key', async () => {
  const headers = { ...(await recordOf(report.reportId)).headers }
  delete headers[SIGNATURE_HEADER]
  const place = await decided.rewrite(report.reportId, () => ({ headers }))
  expect(await verify()).toMatchObject({
    ...{ exitCode: 1, signatures: { signed: 0, unsigned: 1 } },
    problems: [{ kind: 'unsigned', ...place, detail: `The report ${report.reportId} carries no signature.` }],
  })
  // The log names a key: rows of the database say nothing about it.
  await decided.database.execute('DELETE FROM transparency.published_key')
  expect(await verify()).toMatchObject({ exitCode: 1, problems: [{ kind: 'unsigned', ...place }] })
  await appendForged((records) => records)
  await decided.screen(SANCTIONED.address, 'ETH')
  expect(kinds(await verify())).toEqual(['unsigned', 'unsigned'])
})

test('a batch that another key signed is named, with and without the id of the true key', async () => {
  const strangers = join(decided.folder, 'strangers.json')
  createSigningKeys(strangers)
  const { signer } = readSigningKeys(strangers)
  const log = await decided.log.identity()
  await appendForged((records) => signRecords(records, { signer, log }))
  expect(kinds(await verify())).toEqual(['signature'])
  await appendForged((records) => signRecords(records, { signer, log }).map(withKeyId(keys().signer.key.id)))
  await appendForged((records) => records)
  const signature = (await recordOf(report.reportId)).headers[SIGNATURE_HEADER]!
  await appendForged((records) =>
    records.map((record) => ({ ...record, headers: { ...record.headers, [SIGNATURE_HEADER]: signature } })),
  )
  const verified = await verify()
  expect(kinds(verified).sort()).toEqual(['signature', 'signature', 'signature', 'unsigned'])
  expect(verified.exitCode).toBe(1)
})

test('keys are exchanged, and earlier reports stay signed', async () => {
  await decided.json('log', 'rotate-signing-key')
  await decided.restartScorer()
  await decided.screen(SANCTIONED.address, 'ETH')
  await published(2)
  expect(await verify()).toMatchObject({ exitCode: 0, signatures: { signed: 2, unsigned: 0 } })
})

test('reports from before the first key carry a MAC only, and later ones without a signature are named', async () => {
  await decided.close()
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row])
  await decided.screen(SANCTIONED.address, 'ETH')
  createSigningKeys(keysFile())
  await decided.restartScorer()
  report = await decided.screen(SANCTIONED.address, 'ETH')
  await published(1)
  // No leaf shows yet which report came first.
  expect(kinds(await verify())).toEqual(['unsigned'])
  await giveLeaves(decided)
  const first_key_at = expect.stringMatching(/^20/) as string
  expect(await verify()).toMatchObject({
    ...{ exitCode: 0, is_proven: true, problems: [] },
    signatures: { signed: 1, unsigned: 1, before_first_key: 1, first_key_at },
  })
  const { out } = await decided.cupel('audit', 'verify')
  expect(out).toMatch(/Reports are signed from 20.*Z on: 1 are from before it and carry a MAC only\./)
  await appendForged((records) => records)
  await giveLeaves(decided)
  expect(kinds(await verify())).toEqual(['unsigned'])
})

test('a changed row of an earlier leaf makes no later report one from before the first key', async () => {
  const kept = ['--kept', join(decided.folder, 'kept.json')]
  expect(await verify(...kept)).toMatchObject({ exitCode: 0, problems: [] })
  const forged = await appendForged((records) => records)
  await decided.database.execute(
    "UPDATE log.record SET appended_at = appended_at - interval '1 day' WHERE key = $1",
    [forged],
  )
  await giveLeaves(decided)
  // Only a part of the earlier leaves is compared again.
  await decided.database.execute(
    `UPDATE transparency.leaf SET record_offset = 1000000, place = (SELECT place FROM transparency.leaf WHERE document_id = $2)
     WHERE document_id = $1`,
    [report.reportId, forged],
  )
  expect(kinds(await verify(...kept))).toEqual(['unsigned'])
})

test('an auditor with public keys and nothing secret verifies, and trusts no key of the log', async () => {
  const file = join(decided.folder, 'public-keys.txt')
  writeFileSync(file, `# of the operator\n${verifierKey(keys().signer.key)}\n`)
  const environment = {
    ...{ ...decided.environment, CUPEL_HOME: '/nowhere', CUPEL_RECORD_KEYS_FILE: '/nowhere' },
    CUPEL_CHECKPOINT_FOLDER: join(decided.folder, CHECKPOINTS_FOLDER),
  }
  const audit = async (): Promise<Verified & { exitCode: number; error: unknown }> => {
    const said = await callCupel(environment, ['audit', 'verify', '--public-keys', file, '--json'])
    return { ...(JSON.parse(said.out) as Verified), exitCode: said.exitCode, error: said.error }
  }
  expect(await audit()).toMatchObject({
    ...{ exitCode: 0, error: null, macs_checked: false, signatures: { signed: 1, unsigned: 0 } },
  })

  await decided.json('log', 'rotate-signing-key')
  await decided.restartScorer()
  await decided.screen(SANCTIONED.address, 'ETH')
  await published(2)
  const verified = await audit()
  expect(verified).toMatchObject({ exitCode: 1, signatures: { signed: 1 } })
  expect(verified.problems[0]!.detail).toContain('is not among the given ones')
  writeFileSync(file, 'no key')
  const refused = await callCupel(environment, ['audit', 'verify', '--public-keys', file])
  expect((refused.error as Error).message).toContain('Line 1')
})

test('a scorer without its key does not begin where reports must be signed', async () => {
  rmSync(keysFile())
  // The log names the key: a row that was deleted lowers no demand.
  await decided.database.execute('DELETE FROM transparency.published_key')
  await expect(decided.restartScorer()).rejects.toThrow('Records of this log are signed')
})

async function recordOf(reportId: string): Promise<LogRecord> {
  const records = await decided.records(topicOf('ReportGenerated'), reportPartition(reportId))
  return records.find(({ key }) => key === reportId)!
}

function withKeyId(keyId: string): (record: NewRecord) => NewRecord {
  return ({ headers, ...record }) => {
    const [, ...rest] = headers[SIGNATURE_HEADER]!.split('.')
    return { ...record, headers: { ...headers, [SIGNATURE_HEADER]: [keyId, ...rest].join('.') } }
  }
}
