import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pinnedPackage } from './pinned-package.mjs'

/** A stand-in for npm that copies a package of this folder to the requested folder. */
let folder
let wanted
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-pinned-'))
  mkdirSync(join(folder, 'package'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'package', 'main.js'), 'the right one')
  execFileSync('tar', ['-czf', 'tool-1.2.3.tgz', 'package'], { cwd: folder })
  const bytes = readFileSync(join(folder, 'tool-1.2.3.tgz'))
  wanted = {
    ...{ name: 'tool', version: '1.2.3' },
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  }
  npm(`for last; do :; done; cp ${folder}/tool-1.2.3.tgz "$last"; echo '[{"filename": "tool-1.2.3.tgz"}]'`)
  vi.stubEnv('PATH', [join(folder, 'bin'), process.env.PATH].join(delimiter))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function npm(script) {
  writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n${script}\n`)
  chmodSync(join(folder, 'bin', 'npm'), 0o755)
}
const cache = () => join(folder, 'cache')
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

test('a package with the pinned hash is fetched once, also by two at the same time', async () => {
  const [one, other] = await Promise.all([pinnedPackage(wanted, cache()), pinnedPackage(wanted, cache())])
  expect(other).toBe(one)
  expect(readFileSync(join(one, 'main.js'), 'utf8')).toBe('the right one')
  const before = calls().length
  expect(await pinnedPackage(wanted, cache())).toBe(one)
  expect(calls()).toHaveLength(before)
  expect(calls()[0]).toContain('pack tool@1.2.3 --json --ignore-scripts')
  expect(readdirSync(cache())).toHaveLength(1)
})

test('a package with another hash is refused, and nothing of it is kept', async () => {
  const other = { ...wanted, integrity: `sha512-${'A'.repeat(86)}==` }
  await expect(pinnedPackage(other, cache())).rejects.toThrow(/tool 1\.2\.3 with another content/)
  expect(readdirSync(cache())).toEqual([])
})

test('a registry that refuses is quoted', async () => {
  npm('echo "npm error 404 Not Found" >&2; exit 1')
  await expect(pinnedPackage(wanted, cache())).rejects.toThrow(/404 Not Found\nnpm pack failed/)
  expect(readdirSync(cache())).toEqual([])
})
