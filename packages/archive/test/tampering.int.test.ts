/** Anyone with write access to the folder of an archive can change it. The check names the file of each change. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signNote } from '@cupel/signing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manifestText, type Manifest } from '../src/format/manifest.js'
import { check, openArchivedLog, OTHER_TOPIC, TOPIC, type ArchivedLog, type Checked } from './archived-log.js'

const TREE = { size: 7, root: Buffer.alloc(32, 1).toString('base64') }
let own: ArchivedLog
let files: string[]
beforeAll(async () => {
  own = await openArchivedLog()
  await own.append(130)
  await own.append(30, { topic: OTHER_TOPIC })
  await own.create({ tree: TREE })
  await own.append(9)
  await own.create({ tree: TREE })
  files = readdirSync(own.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(own.folder.length + 1))
    .sort()
})
afterAll(() => own.close())

let copies = 0

/** The result of a check of a changed copy of the archive. */
async function tampered(change: (path: (file: string) => string) => void): Promise<Checked> {
  copies += 1
  const folder = `${own.folder}-${copies}`
  cpSync(own.folder, folder, { recursive: true })
  change((file) => join(folder, file))
  try {
    return await check(folder, own.keys)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const named = ({ faults }: Checked): string[] => faults.map(({ file }) => file)
const segments = () => files.filter((file) => file.startsWith('segments/'))
const manifests = () => files.filter((file) => file.startsWith('manifests/'))

test('the archive that is changed below is whole, with several segments and manifests', async () => {
  expect((await tampered(() => undefined)).faults).toEqual([])
  expect([segments().length, manifests().length]).toEqual([10, 4])
})

test('a flipped bit is named, wherever it is', async () => {
  for (const file of files) {
    const bytes = readFileSync(join(own.folder, file))
    const step = Math.max(1, Math.floor(bytes.length / 5))
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      const found = await tampered((path) => writeFileSync(path(file), changed))
      expect([file, at, named(found)[0]]).toEqual([file, at, file])
    }
  }
})

test('a file that was cut off, emptied, made longer or removed is named', async () => {
  for (const file of files) {
    const bytes = readFileSync(join(own.folder, file))
    const changes: ((path: string) => void)[] = [
      (path) => writeFileSync(path, bytes.subarray(0, -1)),
      (path) => writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length / 2))),
      (path) => writeFileSync(path, ''),
      (path) => writeFileSync(path, Buffer.concat([bytes, Buffer.from('\n')])),
      (path) => rmSync(path),
    ]
    for (const [index, change] of changes.entries()) {
      const isLast = file === manifests().at(-1)
      const found = await tampered((path) => change(path(file)))
      // Without the last manifest, only the segment that it named shows that it existed.
      const expected = isLast && index === 4 ? segments().find((each) => each.includes('130')) : file
      expect([file, index, named(found)[0]]).toEqual([file, index, expected])
    }
  }
})

test('files that changed places are named', async () => {
  for (const group of [segments(), manifests()])
    for (let index = 1; index < group.length; index += 1) {
      const [one, other] = [group[index - 1]!, group[index]!]
      const found = await tampered((path) => {
        renameSync(path(one), path('aside'))
        renameSync(path(other), path(one))
        renameSync(path('aside'), path(other))
      })
      expect([one, named(found)]).toEqual([one, expect.arrayContaining([one])])
    }
})

test('files that were put there are named', async () => {
  const added = ['other.txt', `segments/${TOPIC}/0/0000000000000999.avro`, 'manifests/00000009.json']
  for (const file of added) {
    const found = await tampered((path) => writeFileSync(path(file), 'something'))
    expect(found.faults).toHaveLength(1)
    expect(`${found.faults[0]!.file} ${found.faults[0]!.detail}`).toContain(file)
  }
})

test('a manifest that was written anew counts only with its own signature', async () => {
  const file = manifests()[1]!
  const { manifest, note } = JSON.parse(readFileSync(join(own.folder, file), 'utf8')) as {
    manifest: { segments: object[]; number: number }
    note: string
  }
  const rewritten = [
    JSON.stringify({ manifest: { ...manifest, segments: manifest.segments.slice(1) }, note }),
    JSON.stringify({ manifest: { ...manifest, number: 7 }, note }),
    JSON.stringify({ manifest, note: signNote('another text\n', own.keys.signer) }),
    JSON.stringify({ note, manifest }),
    JSON.stringify({ manifest, note, more: 1 }),
    JSON.stringify({ manifest, note }, null, 1),
    'null',
    '{',
  ]
  for (const text of rewritten) {
    const found = await tampered((path) => writeFileSync(path(file), `${text}\n`))
    expect([text.slice(0, 40), named(found), found.contents.number]).toEqual([text.slice(0, 40), [file], 1])
  }
})

test('an earlier manifest in the place of a later one is named', async () => {
  const [first, second] = manifests()
  const found = await tampered((path) => cpSync(path(first!), path(second!)))
  expect(named(found)).toEqual([second])
})

test.each([
  ['shorter', { ...TREE, size: 6 }],
  ['of another root', { ...TREE, root: Buffer.alloc(32, 2).toString('base64') }],
  ['gone', null],
])('a tree that is %s than that of the manifest before is named, and no run adds it', async (_, tree) => {
  const file = manifests().at(-1)!
  const { manifest } = JSON.parse(readFileSync(join(own.folder, file), 'utf8')) as { manifest: Manifest }
  const text = manifestText({ ...manifest, tree }, own.keys.signer)
  expect(named(await tampered((path) => writeFileSync(path(file), text)))[0]).toBe(file)
  await expect(own.create({ tree })).rejects.toThrow('an older database was restored')
})
