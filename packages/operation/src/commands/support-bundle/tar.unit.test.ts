import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tarGz } from './tar.js'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cupel-tar-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('tar reads what was written, also empty files and those that fill their last block', () => {
  const files = [
    { name: 'README.txt', text: 'first\n' },
    { name: 'logs/embedded/api-1.log', text: '' },
    { name: 'full.txt', text: 'x'.repeat(1_024) },
    { name: 'more.txt', text: `ü${'y'.repeat(70_000)}` },
  ]
  const archive = join(folder, 'bundle.tar.gz')
  writeFileSync(archive, tarGz(files, new Date('2026-11-23T12:00:00Z')))
  const listed = execFileSync('tar', ['--list', '--file', archive], { encoding: 'utf8' })
  expect(listed.trim().split('\n')).toEqual(files.map(({ name }) => name))
  execFileSync('tar', ['--extract', '--file', archive, '--directory', folder, '--no-same-owner'])
  for (const { name, text } of files) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

test('a name that the format has no room for is refused', () => {
  expect(() => tarGz([{ name: 'x'.repeat(101), text: '' }], new Date(0))).toThrow('too long')
})
