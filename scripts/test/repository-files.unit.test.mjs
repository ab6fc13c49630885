/** What a repository needs in addition to its sources: a licence, a way to report a weakness, and who reviews what. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../setup.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const packages = () =>
  execFileSync('git', ['ls-files', 'package.json', 'packages/*/package.json', 'services/*/package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')

test('the licence is the whole text of Apache 2.0, and every package names it', () => {
  const licence = read('LICENSE')
  expect(licence).toContain('Apache License\n                           Version 2.0, January 2004')
  for (const part of [
    'TERMS AND CONDITIONS',
    '3. Grant of Patent License',
    '8. Limitation of Liability',
    'END OF TERMS',
  ])
    expect(licence).toContain(part)
  const named = packages().map((name) => [name, JSON.parse(read(name)).license])
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(([, license]) => license !== 'Apache-2.0')).toEqual([])
})

test('SECURITY.md says how to report in private, when an answer comes, what is supported and what counts', () => {
  const text = read('SECURITY.md')
  expect(text).toMatch(/^## Report a weakness\n[^#]*in private[^#]*within three working days/m)
  expect(text).toMatch(/^## Supported versions\n[^#]*security updates/m)
  expect(text).toMatch(/^## What counts\n[^#]*docs\/security\.md/m)
})

test('CODEOWNERS names owners for everything and for what is sensitive, and each of its paths exists', () => {
  const rules = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))
  expect(rules[0][0]).toBe('*')
  for (const [path, ...owners] of rules) {
    expect(owners.length, path).toBeGreaterThan(0)
    for (const owner of owners) expect(owner).toMatch(/^@[\w-]+\/[\w-]+$/)
    if (path !== '*') expect(existsSync(join(root, path)), path).toBe(true)
  }
  const paths = rules.map(([path]) => path)
  for (const sensitive of [
    '/packages/gate/',
    '/packages/personal-data/',
    '/docs/security.md',
    '/scripts/release.mjs',
    '/pnpm-lock.yaml',
  ])
    expect(paths).toContain(sensitive)
})
