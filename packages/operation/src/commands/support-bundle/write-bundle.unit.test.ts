import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeBundle } from './write-bundle.js'

const archive = Buffer.from('an archive')
let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cupel-write-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('only its owner can read the file, and it is never written over', async () => {
  const path = join(folder, 'bundle.tar.gz')
  await writeBundle(archive, { path, mode: 0o600 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect(writeBundle(Buffer.from('another one'), { path, mode: 0o600 })).rejects.toThrow(
    `${path} is there already.`,
  )
  expect(readFileSync(path)).toEqual(archive)
})

test('a place that does not exist is named, with what to do', async () => {
  const path = join(folder, 'missing', 'bundle.tar.gz')
  await expect(writeBundle(archive, { path, mode: 0o600 })).rejects.toThrow(
    `${path} cannot be written: choose another place with --output.`,
  )
})
