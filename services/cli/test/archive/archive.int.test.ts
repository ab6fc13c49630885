/** An auditor checks an archive elsewhere: with its folder and public keys, without the database or a broker. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openFolderStore } from '@cupel/archive'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { createSigningKeys, readSigningKeys, verifierKey } from '@cupel/signing'
import { noteSkip, until } from '@cupel/testkit'
import { TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'

const NOTHING_TO_PROVE = 4

let decided: Decided
let report: ReportGenerated
let archive: string
let keys: string
let elsewhere: string
beforeAll(async () => {
  decided = await openDecided({ signs: true })
  await decided.importLabels('sdn', [SANCTIONED.row])
  report = await decided.screen(SANCTIONED.address, 'ETH')
  const topic = topicOf('SigningKeyPublished')
  await until(async () => expect(await decided.log.endOffset(topic, 0)).toBeGreaterThan(0))
  archive = join(decided.folder, 'archive')
  elsewhere = join(decided.folder, 'elsewhere')
  mkdirSync(elsewhere)
  keys = join(elsewhere, 'keys.txt')
  const lines = readSigningKeys(join(decided.folder, SIGNING_KEYS_FILE)).publicKeys.map(verifierKey)
  writeFileSync(keys, `${lines.join('\n')}\n`)
  expect(await decided.json('archive', 'create', archive)).toMatchObject({ number: 1, folder: archive })
})
afterAll(() => decided.close())

/** Calls a command on a machine without any part of the installation. */
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

test('an auditor proves every record of an archive with only public keys', async () => {
  const expected = {
    exitCode: 0,
    is_proven: true,
    reports: 1,
    problem_count: 0,
    log: await decided.log.identity(),
  }
  const signatures = { signed: 1, unsigned: 0 }
  const found = { manifests: 1, faults: [], folder: archive }
  expect(await proof(['archive', 'verify', archive])).toMatchObject({
    ...expected,
    ...{ signatures, macs_checked: false, archive: found },
  })
  expect(await proof(['archive', 'verify', archive, '--min-reports', '1'])).toMatchObject(expected)
  const recordKeys = { CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE }
  expect(await proof(['archive', 'verify', archive], recordKeys)).toMatchObject({
    ...expected,
    macs_checked: true,
  })
  const { out } = await auditor(['archive', 'verify', archive])
  expect(out).toContain('1 manifests, the last of ')
  expect(out).toContain('No problem was found.')
})

test('the operator needs no keys but those of the home', async () => {
  const verified = await decided.json('archive', 'verify', archive)
  expect(verified).toMatchObject({ is_proven: true, macs_checked: true, problem_count: 0 })
})

test('reports of an archive are decided again only from it, at the level that needs no tables', async () => {
  expect(await proof(['audit', 'recompute', '--archive', archive])).toMatchObject({
    ...{ exitCode: 0, is_proven: true, reports: 1, levels: { A: { same: 1 } } },
  })
  const pdf = join(elsewhere, 'audit.pdf')
  const stated = await auditor(['audit', 'recompute', '--archive', archive, '--pdf', pdf])
  expect(stated.notes).toContain('which is not signed. An auditor with public keys made it.')
  expect(readFileSync(pdf, 'utf8')).toContain(
    `"archive":{"place":"${archive}","manifest":1,"manifest_sha256":"`,
  )
  // The operator has the keys, and signs the result of the same command.
  const signed = await decided.json('audit', 'recompute', '--archive', archive, '--pdf', pdf)
  expect(signed).toMatchObject({ pdf: { signature: `${pdf}.sig`, unsigned_because: null } })
  const other = await auditor(['audit', 'recompute', '--archive', archive, '--level', 'B'])
  expect(other.error).toMatchObject({ exitCode: 2, message: expect.stringContaining('level A') as string })
})

test('without a number, or leaves, to compare with, the command says that a shorter archive would look the same', async () => {
  const shorter = expect.stringContaining(
    'A shorter archive looks the same: compare its end (no signed tree',
  ) as string
  expect(await proof(['archive', 'verify', archive])).toMatchObject({ exitCode: 0, warnings: [shorter] })
  expect((await auditor(['archive', 'verify', archive])).out).toMatch(/A shorter archive looks the same/)
  expect(await proof(['archive', 'verify', archive, '--min-leaves', '1'])).toMatchObject({ warnings: [] })
})

test('a run says that an archive was set back to an earlier state, and a retired archive is not waited for', async () => {
  const folder = join(decided.folder, 'set back')
  expect(await decided.json('archive', 'create', folder)).toMatchObject({ number: 1, was_shortened: null })
  const earlier = copyOf('earlier')
  await decided.importLabels('other', [SANCTIONED.row])
  expect(await decided.json('archive', 'create', folder)).toMatchObject({ number: 2, was_shortened: null })
  rmSync(folder, { recursive: true })
  cpSync(earlier, folder, { recursive: true })
  const wasShortened = { from: 2, to: 1 }
  expect(await decided.json('archive', 'create', folder)).toMatchObject({ was_shortened: wasShortened })
  expect(await decided.json('archive', 'verify', folder)).toMatchObject({ is_proven: true })
  expect(await decided.json('archive', 'retire', folder)).toEqual({ folder })
  expect((await decided.cupel('archive', 'retire', folder)).error).toMatchObject({ exitCode: 3 })
})

test('less than expected is not proof', async () => {
  expect(await proof(['archive', 'verify', archive, '--min-leaves', '100000'])).toMatchObject({ exitCode: 1 })
  expect(await proof(['archive', 'verify', archive, '--min-reports', '2'])).toMatchObject({ exitCode: 1 })
  const other = await auditor(['archive', 'verify', archive, '--expect-log', 'another'])
  expect(other.error).toMatchObject({ exitCode: 1 })
})

test.each([
  ['archive', 'verify'],
  ['audit', 'recompute', '--archive'],
])('%s %s: a folder without an archive has nothing to prove', async (...command) => {
  const said = await auditor([...command, join(elsewhere, 'none'), '--json'])
  expect(said.error).toMatchObject({ exitCode: NOTHING_TO_PROVE })
  expect(JSON.parse(said.out)).toEqual({ log: null, reports: 0, is_proven: false })
})

test('a segment that was changed is named with the records that it held, and nothing is proven', async () => {
  const folder = copyOf('changed')
  const file = join(folder, reportSegment())
  writeFileSync(file, flipped(readFileSync(file)))
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 1, is_proven: false, problem_count: 1 },
    archive: { faults: [{ file: reportSegment(), topic: topicOf('ReportGenerated'), first: 0, next: 1 }] },
  })
  const inThreads = await proof(['archive', 'verify', folder, '--threads', '2'])
  expect(inThreads).toEqual(await proof(['archive', 'verify', folder, '--threads', '1']))
  const again = await auditor(['audit', 'recompute', '--archive', folder])
  expect(again.error).toMatchObject({ message: expect.stringContaining(reportSegment()) as string })
})

test('while a run is at work, the archive is proven up to its last manifest; without one, its files are faults', async () => {
  const folder = copyOf('at work')
  const place = join('segments', topicOf('ReportGenerated'), String(reportPartition(report.reportId)))
  writeFileSync(join(folder, place, '0000000000000001.avro.draft'), 'a part')
  const held = await openFolderStore(folder).hold()
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 0, is_proven: true, reports: 1 },
    archive: { manifests: 1, pending: 1, faults: [] },
  })
  expect((await auditor(['archive', 'verify', folder])).out).toContain('is at work: its 1 files')
  // A run never writes before the existing records.
  const foreign = join(place, '0000000000000000.avro.draft')
  writeFileSync(join(folder, foreign), 'a part')
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 1, archive: { pending: 1, faults: [{ file: foreign }] } },
  })
  rmSync(join(folder, foreign))
  await held.release()
  expect(await proof(['archive', 'verify', folder])).toMatchObject({
    ...{ exitCode: 1, is_proven: false, archive: { pending: 0, fault_count: 1 } },
  })
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

const VERIFIER = fileURLToPath(
  new URL('../../../../packages/evidence/python/verify_report.py', import.meta.url),
)

/** Runs the single file of an auditor with plain Python. */
function python(...args: readonly string[]): Promise<{ code: number; out: string; sentence: string }> {
  return new Promise((resolve) => {
    execFile('python3', [...args], (error, out, sentence) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, sentence }),
    )
  })
}
const hasPython = (await python('--version')).code === 0
if (!hasPython) noteSkip('a report in an archive, checked in Python: there is no python3')

describe.skipIf(!hasPython)('one file in Python', () => {
  const fileOf = (name: string, contents: string): string => {
    const path = join(elsewhere, name)
    writeFileSync(path, contents)
    return path
  }
  const checked = (file: string, folder = archive, keyFile = keys) =>
    python(VERIFIER, file, '--archive', folder, '--key', keyFile)
  const refusal = (sentence: string): object => ({
    code: 1,
    sentence: expect.stringContaining(sentence) as string,
  })

  test('finds the report that a customer shows, signed, at its place in the log', async () => {
    const { code, out } = await checked(fileOf('shown.json', report.report))
    expect(code).toBe(0)
    const place = `${topicOf('ReportGenerated')}/${reportPartition(report.reportId)} at 0 of the log`
    expect(out).toContain(`Proven: the report is the record ${place} ${await decided.log.identity()}, signed`)
    expect(out).toContain('The archive has 1 manifests, the last of ')
  })

  test('refuses a report of which one byte differs, and one that the log does not have', async () => {
    const other = report.report.replace('"red"', '"grn"')
    expect(await checked(fileOf('changed.json', other))).toMatchObject(
      refusal('has another report with this id'),
    )
    const unknown = report.report.replace(report.reportId, report.reportId.replace(/./g, '0'))
    expect(await checked(fileOf('unknown.json', unknown))).toMatchObject(refusal('holds no report'))
    expect(await checked(fileOf('none.json', 'none'))).toMatchObject(refusal('not JSON'))
  })

  test('refuses an archive of which a segment or a manifest was changed or removed', async () => {
    const shown = fileOf('shown.json', report.report)
    const manifest = join('manifests', '00000001.json')
    for (const [name, file, change, sentence] of [
      ['bytes', reportSegment(), flipped, 'does not have the bytes that were signed'],
      ['no segment', reportSegment(), null, 'is missing in the archive'],
      ['text', manifest, relabelled, 'The signature is of another manifest'],
      ['no manifest', manifest, null, 'holds no manifest'],
    ] as const) {
      const folder = copyOf(`python, ${name}`)
      const path = join(folder, file)
      if (change === null) rmSync(path)
      else writeFileSync(path, change(readFileSync(path)))
      expect(await checked(shown, folder), name).toMatchObject(refusal(sentence))
    }
  })

  test('takes only the keys that it was given', async () => {
    const shown = fileOf('shown.json', report.report)
    createSigningKeys(join(elsewhere, 'strangers.json'))
    const { signer } = readSigningKeys(join(elsewhere, 'strangers.json'))
    const stranger = fileOf('stranger.txt', verifierKey(signer.key))
    expect(await checked(shown, archive, stranger)).toMatchObject(
      refusal('None of the given keys signed the manifest'),
    )
    expect(await checked(shown, join(elsewhere, 'nowhere'))).toMatchObject({ code: 2 })
    expect(await python(VERIFIER, shown, '--key', keys)).toMatchObject({ code: 2 })
  })
})

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length - 30]! ^= 1
  return bytes
}

const relabelled = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString().replace('"records":1,', '"records":2,'))

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
  if (hasPython) {
    const shown = join(elsewhere, 'true.json')
    writeFileSync(shown, report.report)
    const args = [VERIFIER, shown, '--archive', folder, '--key', keys]
    expect((await python(...args)).sentence).toMatch(/The record of the report is not what the key .* signed/)
  }
  // The earlier archive can only continue after the records that it has.
  const said = await decided.cupel('archive', 'create', archive)
  expect(said.error).toMatchObject({ message: expect.stringContaining('has another record') as string })
})

test('an archive holds nothing that opens anything', () => {
  const { keys: entries } = JSON.parse(readFileSync(join(decided.folder, SIGNING_KEYS_FILE), 'utf8')) as {
    keys: { privateKey: string | null }[]
  }
  const secrets = entries.flatMap(({ privateKey }) => privateKey ?? [])
  for (const entry of readdirSync(archive, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'latin1')
    for (const secret of secrets) expect(text.includes(secret)).toBe(false)
  }
})
