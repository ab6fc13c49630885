/** An archive in a store: every command that takes an archive takes `s3://bucket/prefix`. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import type { ReportGenerated } from '@cupel/contracts'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { readSigningKeys, verifierKey } from '@cupel/signing'
import { startS3Server, type S3Server } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, openCommandLine, type Said } from '../command-line.js'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'
import { explain } from '@cupel/command-line'

const [USAGE, CONFIG] = [2, 78]

let server: S3Server
let decided: Decided
let settings: Readonly<Record<string, string>>
let reports: readonly ReportGenerated[]
let archive: string
let auditor: (...args: readonly string[]) => Promise<Said>
beforeAll(async () => {
  ;[server, decided] = await Promise.all([startS3Server(), openDecided({ signs: true })])
  const first = await decided.screen(SANCTIONED.address, 'ETH')
  await decided.importLabels('sdn', [SANCTIONED.row])
  reports = [first, await decided.screen(SANCTIONED.address, 'ETH')]
  const secret = join(decided.folder, 's3-secret')
  writeFileSync(secret, `${server.credentials.secretAccessKey}\n`)
  settings = {
    CUPEL_S3_ENDPOINT: server.endpoint,
    CUPEL_S3_ACCESS_KEY_ID: server.credentials.accessKeyId,
    CUPEL_S3_SECRET_ACCESS_KEY_FILE: secret,
  }
  archive = `s3://${server.newBucket()}/cupel/archive`
  auditor = auditorOf(decided)
})
afterAll(async () => {
  await decided.close()
  await server.stop()
})

/** An auditor with the address, an access key and the public keys. */
function auditorOf({ folder }: Decided): (...args: readonly string[]) => Promise<Said> {
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
  const keys = join(elsewhere, 'keys.txt')
  const lines = readSigningKeys(join(folder, SIGNING_KEYS_FILE)).publicKeys.map(verifierKey)
  writeFileSync(keys, `${lines.join('\n')}\n`)
  return (...args) =>
    callCupel({ CUPEL_HOME: join(elsewhere, 'home'), ...settings }, [...args, '--public-keys', keys])
}

const operator = (...args: readonly string[]): Promise<Said> =>
  callCupel({ ...decided.environment, ...settings }, args)

test('is created and added to, proven, decided again and explained with an access key and public keys', async () => {
  expect((await auditor('archive', 'verify', archive)).error).toHaveProperty('exitCode', 4)
  const created = await operator('archive', 'create', archive, '--json')
  expect(created.error).toBeNull()
  expect(JSON.parse(created.out)).toMatchObject({ number: 1, folder: archive })
  await decided.screen(SANCTIONED.address, 'ETH')
  expect(JSON.parse((await operator('archive', 'create', archive, '--json')).out)).toMatchObject({
    number: 2,
  })
  const verified = await auditor('archive', 'verify', archive, '--json')
  expect(JSON.parse(verified.out)).toMatchObject({
    ...{ is_proven: true, reports: 3, problem_count: 0, archive: { folder: archive, manifests: 2 } },
  })
  const recomputed = await auditor('audit', 'recompute', '--archive', archive, '--json')
  expect(JSON.parse(recomputed.out)).toMatchObject({ is_proven: true, levels: { A: { same: 3 } } })
  const [one, other] = reports.map(({ reportId }) => reportId)
  const explained = await auditor('explain', one!, other!, '--archive', archive, '--json')
  expect(JSON.parse(explained.out)).toMatchObject({ from: one, to: other })
})

test('becomes a log again', async () => {
  const again = await openCommandLine(settings, { openLog: (database) => openEmbeddedLog({ database }) })
  try {
    copyFileSync(join(decided.folder, SIGNING_KEYS_FILE), join(again.folder, SIGNING_KEYS_FILE))
    const restored = await again.json('archive', 'restore', archive, '--reason', 'The disk is lost.')
    expect(restored).toMatchObject({ folder: archive, archived: await decided.log.identity() })
    expect(await again.json('audit', 'verify')).toMatchObject({ reports: 3 })
  } finally {
    await again.close()
  }
})

test('needs a store that answers, accepts the key, and is called over TLS where it is elsewhere', async () => {
  const calls: readonly [string, Readonly<Record<string, string>>, number, string][] = [
    [archive, { CUPEL_S3_ACCESS_KEY_ID: '' }, CONFIG, 'CUPEL_S3_ACCESS_KEY_ID'],
    [archive, { CUPEL_S3_ACCESS_KEY_ID: 'other' }, CONFIG, '403'],
    [archive, { CUPEL_S3_CA_FILE: '/nowhere' }, CONFIG, 'CUPEL_S3_CA_FILE'],
    [archive, { CUPEL_S3_ENDPOINT: 'http://store.example' }, CONFIG, 'CUPEL_S3_INSECURE'],
    ['s3://no-such-bucket/x', {}, CONFIG, 'NoSuchBucket'],
    ['s3://B/x', {}, USAGE, 'names no bucket'],
  ]
  for (const [place, changed, exitCode, said] of calls)
    for (const command of ['create', 'verify']) {
      const environment = { ...decided.environment, ...settings, ...changed }
      const { error } = await callCupel(environment, ['archive', command, place])
      const told = await explain(error)
      expect([command, said, told]).toEqual([
        ...[command, said],
        { exitCode, sentence: expect.stringContaining(said) as string },
      ])
    }
})
