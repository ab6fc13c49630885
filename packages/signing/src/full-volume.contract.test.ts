/** A file of keys on a volume that fills: it is the old one or the new one, never a part of the new one. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSigningKeys, readSigningKeys, rotateSigningKey, secretKeyFile } from './index.js'

/** The child runs what was built: `ulimit` holds for it and for nothing else. */
const BUILT = fileURLToPath(new URL('../dist/index.js', import.meta.url))

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cupel-full-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const KIND = {
  ...{ idPrefix: 'test', subject: 'The keys', form: 'a file of keys', setting: 'KEYS' },
  Failure: Error,
}

/** Runs statements in a process whose files may have 512 bytes: as on a full volume, a write writes what fits. */
function runWithoutRoom(statements: string): void {
  const program = `import { rotateSigningKey, secretKeyFile } from ${JSON.stringify(BUILT)}\n${statements}`
  const script = 'ulimit -f 1; exec "$0" --input-type=module -e "$1"'
  expect(spawnSync('sh', ['-c', script, process.execPath, program]).status).not.toBe(0)
}

test('signing keys', () => {
  const file = join(folder, 'signing-keys.json')
  createSigningKeys(file)
  for (let turns = 0; turns < 4; turns += 1) rotateSigningKey(file)
  const before = readFileSync(file)
  expect(before.length).toBeGreaterThan(512)
  runWithoutRoom(`rotateSigningKey(${JSON.stringify(file)})`)
  expect(readFileSync(file)).toEqual(before)
  expect(readSigningKeys(file).signer).toBeDefined()
})

test('secret keys', () => {
  const file = join(folder, 'record-keys.json')
  const keys = secretKeyFile(KIND)
  for (let count = 0; count < 12; count += 1) keys.add(file, { isActive: true })
  const before = readFileSync(file)
  expect(before.length).toBeGreaterThan(512)
  const kind = JSON.stringify({ ...KIND, Failure: undefined }).replace(/}$/, ', Failure: Error}')
  runWithoutRoom(`secretKeyFile(${kind}).add(${JSON.stringify(file)}, { isActive: true })`)
  expect(readFileSync(file)).toEqual(before)
  expect(keys.read(file).byId.size).toBe(12)
})
