/** An archive is checked elsewhere: with its folder and public keys, and neither the database nor a broker. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPORT_SIGNING_KEYS_FILE, SIGNING_KEYS_FILE } from '@cupel/checkpoints'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { createSigningKeys, readSigningKeys, verifierKey } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, type Said } from '../../test/command-line.js'
import { openDecided, type Decided } from '../../test/decided.js'
import { SANCTIONED } from '../../test/some-labels.js'

const NOTHING_TO_PROVE = 4

let decided: Decided
let report: ReportGenerated
let archive: string
let keys: string
let elsewhere: string
beforeAll(async () => {
  decided = await openDecided({ signs: true })
  createSigningKeys(join(decided.folder, SIGNING_KEYS_FILE))
  await decided.importLabels('sdn', [SANCTIONED.row])
  report = await decided.screen(SANCTIONED.address, 'ETH')
  const topic = topicOf('SigningKeyPublished')
  await until(async () => expect(await decided.log.endOffset(topic, 0)).toBeGreaterThan(0))
  archive = join(decided.folder, 'archive')
  elsewhere = join(decided.folder, 'elsewhere')
  mkdirSync(elsewhere)
  keys = join(elsewhere, 'keys.txt')
  const files = [SIGNING_KEYS_FILE, REPORT_SIGNING_KEYS_FILE]
  const lines = files.flatMap((file) =>
    readSigningKeys(join(decided.folder, file)).publicKeys.map(verifierKey),
  )
  writeFileSync(keys, `${lines.join('\n')}\n`)
  expect(await decided.json('archive', 'create', archive)).toMatchObject({ number: 1, folder: archive })
})
afterAll(() => decided.close())

/** Calls a command on a machine that has nothing of the installation. */
const auditor = (args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Said> =>
  callCupel({ CUPEL_HOME: join(elsewhere, 'home'), ...settings }, [...args, '--public-keys', keys])

async function proof(args: readonly string[], settings?: Readonly<Record<string, string>>) {
  const said = await auditor([...args, '--json'], settings)
  expect(said.error).toBeNull()
  return { ...(JSON.parse(said.out) as object), exitCode: said.exitCode }
}

/** A copy of the archive that a test changes. */
function copyOf(name: string): string {
  const folder = join(elsewhere, name)
  cpSync(archive, folder, { recursive: true })
  return folder
}

const reportSegment = (): string =>
  join(
    'segments',
    topicOf('ReportGenerated'),
    String(reportPartition(report.reportId)),
    '0000000000000000.avro',
  )

test('an auditor proves every record of an archive with public keys alone', async () => {
  const expected = {
    exitCode: 0,
    is_proven: true,
    reports: 1,
    problem_count: 0,
    log: await decided.log.identity(),
  }
  const signatures = { signed: 1, unsigned: 0 }
  const found = { manifests: 1, faults: [], folder: archive }
  expect(await proof(['archive', 'verify', archive, '--max-unsigned', '0'])).toMatchObject({
    ...expected,
    ...{ signatures, macs_checked: false, checkpoints: null, archive: found },
  })
  expect(await proof(['audit', 'verify', '--archive', archive, '--min-reports', '1'])).toMatchObject(expected)
  const recordKeys = { CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE }
  expect(await proof(['archive', 'verify', archive], recordKeys)).toMatchObject({
    ...expected,
    macs_checked: true,
  })
  const { out } = await auditor(['archive', 'verify', archive])
  expect(out).toContain('1 manifests, the last of ')
  expect(out).toContain('No problem was found.')
})

test('the operator needs no keys beside those of the home', async () => {
  const verified = await decided.json('archive', 'verify', archive)
  expect(verified).toMatchObject({ is_proven: true, macs_checked: true, problem_count: 0 })
})

test('reports of an archive are decided again from it alone, at the level that needs no tables', async () => {
  expect(await proof(['audit', 'recompute', '--archive', archive])).toMatchObject({
    ...{ exitCode: 0, is_proven: true, reports: 1, levels: { A: { same: 1 } } },
  })
  const other = await auditor(['audit', 'recompute', '--archive', archive, '--level', 'B'])
  expect(other.error).toMatchObject({ exitCode: 2, message: expect.stringContaining('level A') as string })
})

test('less than expected is no proof', async () => {
  expect(await proof(['archive', 'verify', archive, '--min-manifest', '2'])).toMatchObject({ exitCode: 1 })
  expect(await proof(['archive', 'verify', archive, '--min-reports', '2'])).toMatchObject({ exitCode: 1 })
  const other = await auditor(['archive', 'verify', archive, '--expect-log', 'another'])
  expect(other.error).toMatchObject({ exitCode: 1 })
})

test.each([
  ['archive', 'verify'],
  ['audit', 'verify', '--archive'],
  ['audit', 'recompute', '--archive'],
])('%s %s: a folder without an archive has nothing to prove', async (...command) => {
  const said = await auditor([...command, join(elsewhere, 'none'), '--json'])
  expect(said.error).toMatchObject({ exitCode: NOTHING_TO_PROVE })
  expect(JSON.parse(said.out)).toEqual({ log: null, reports: 0, is_proven: false })
})

test('a segment that was changed is named with the records that it held, and nothing is proven', async () => {
  const folder = copyOf('changed')
  const file = join(folder, reportSegment())
  const bytes = readFileSync(file)
  bytes[bytes.length - 30]! ^= 1
  writeFileSync(file, bytes)
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 1, is_proven: false, problem_count: 1 },
    archive: { faults: [{ file: reportSegment(), topic: topicOf('ReportGenerated'), first: 0, next: 1 }] },
  })
  const again = await auditor(['audit', 'recompute', '--archive', folder])
  expect(again.error).toMatchObject({ message: expect.stringContaining(reportSegment()) as string })
})

test('an archive whose only manifest was changed or removed is not empty: it is damaged', async () => {
  const folder = copyOf('damaged')
  const file = join(folder, 'manifests', '00000001.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"number":1', '"number":2'))
  for (const command of [
    ['archive', 'verify'],
    ['audit', 'recompute', '--archive'],
  ]) {
    const said = await auditor([...command, folder])
    expect(said.error).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('00000001.json') as string,
    })
  }
  rmSync(file)
  const { error } = await auditor(['archive', 'verify', folder])
  expect(error).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('No manifest names it') as string,
  })
})

test('keys of another installation, and no keys, prove nothing', async () => {
  const other = join(elsewhere, 'other.json')
  createSigningKeys(other)
  const file = join(elsewhere, 'other.txt')
  writeFileSync(file, `${readSigningKeys(other).publicKeys.map(verifierKey).join('\n')}\n`)
  const home = { CUPEL_HOME: join(elsewhere, 'home') }
  const foreign = await callCupel(home, ['archive', 'verify', archive, '--public-keys', file])
  expect(foreign.error).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('does not know') as string,
  })
  const without = await callCupel(home, ['archive', 'verify', archive])
  expect(without.error).toMatchObject({ message: expect.stringContaining('--public-keys') as string })
})

test('what was wrong with the log when it was archived is found in the archive', async () => {
  const place = await decided.rewrite(report.reportId, ({ value }) => {
    const changed = Buffer.from(value)
    changed[changed.indexOf('"red"') + 1]! ^= 1
    return { value: changed }
  })
  const folder = join(decided.folder, 'forged')
  await decided.json('archive', 'create', folder)
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 1, is_proven: false, archive: { faults: [] } },
    problems: expect.arrayContaining([expect.objectContaining({ kind: 'signature', ...place })]) as unknown,
  })
  // The earlier archive goes on only behind the records that it has.
  const said = await decided.cupel('archive', 'create', archive)
  expect(said.error).toMatchObject({ message: expect.stringContaining('has another record') as string })
})

test('an archive holds nothing that opens anything', () => {
  const secrets = [SIGNING_KEYS_FILE, REPORT_SIGNING_KEYS_FILE].flatMap((file) => {
    const { keys: entries } = JSON.parse(readFileSync(join(decided.folder, file), 'utf8')) as {
      keys: { privateKey: string | null }[]
    }
    return entries.flatMap(({ privateKey }) => privateKey ?? [])
  })
  for (const entry of readdirSync(archive, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'latin1')
    for (const secret of secrets) expect(text.includes(secret)).toBe(false)
  }
})
