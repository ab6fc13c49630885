import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { changesSinceLanding, sourcesOf } from './changed-sources.mjs'
import { CI_DRAWS_ONE_OF, CI_TAKES_AT_MOST_ONE_OF, commitOf, leftOutInCi, longFiles } from './long-files.mjs'

const all = longFiles(root)
const most = Math.floor(all.length / CI_TAKES_AT_MOST_ONE_OF)
const commits = Array.from({ length: CI_DRAWS_ONE_OF }, (_, draw) => `0000000${draw}`.padEnd(40, 'a'))
const takenBy = (commit, changed) => {
  const leftOut = new Set(leftOutInCi(root, commit, changed))
  return all.filter((path) => !leftOut.has(path))
}

test('the long files are found', () => {
  expect(all).toContain('packages/system-tests/test/attack.long.e2e.test.ts')
  for (const path of all) expect(existsSync(join(root, path)), path).toBe(true)
})

describe('CI', () => {
  test.each([[[]], [['docs/adr/README.md', 'README.md']]])(
    'draws a sixth of the long files when no source has changed: %j',
    (changed) => {
      const taken = commits.map((commit) => takenBy(commit, changed))
      for (const files of taken) expect(files).toHaveLength(Math.ceil(all.length / CI_DRAWS_ONE_OF))
      expect(new Set(taken.flat())).toEqual(new Set(all))
    },
  )

  test('takes the long files of a changed package', () => {
    const own = all.filter((path) => path.startsWith('services/web/'))
    expect(own.length).toBeGreaterThan(0)
    for (const commit of commits)
      expect(takenBy(commit, ['services/web/src/index.ts'])).toEqual(expect.arrayContaining(own))
  })

  test.each([
    [null],
    [['pnpm-lock.yaml']],
    [['packages/domain/src/index.ts', 'packages/postgres/src/index.ts']],
  ])('takes at most a third, and each file for some commit, whatever changed: %j', (changed) => {
    const taken = commits.map((commit) => takenBy(commit, changed))
    for (const files of taken) expect(files).toHaveLength(most)
    expect(new Set(taken.flat())).toEqual(new Set(all))
  })

  test('takes the same files when it runs again, and all of them without a commit', () => {
    const commit = commitOf(root)
    expect(leftOutInCi(root, commit)).toEqual(leftOutInCi(root, commit))
    expect(leftOutInCi(root, null)).toEqual([])
  })

  test('leaves out no full file', () => {
    for (const commit of commits)
      for (const path of leftOutInCi(root, commit, [])) expect(path).toMatch(/\.long\./)
  })
})

describe('the sources of a test file', () => {
  const nearest = (changed) => sourcesOf(root, changed)('packages/ledger/test/a.long.int.test.ts')

  test('are its package, the packages that it uses, also through others, and what all share', () => {
    expect(nearest(['packages/ledger/src/index.ts'])).toBe(0)
    expect(nearest(['packages/kit/src/failpoints/index.ts'])).toBe(1)
    expect(nearest(['pnpm-lock.yaml'])).toBe(1)
    expect(nearest(null)).toBe(1)
  })

  test('are neither texts nor packages that it does not use', () => {
    expect(nearest(['services/web/src/index.ts', 'docs/glossary.md', 'packages/ledger/README.md'])).toBe(
      Infinity,
    )
  })

  test('are all packages for programs of scripts', () => {
    expect(sourcesOf(root, ['packages/sdk-python/a.py'])('scripts/a.long.e2e.test.mjs')).toBe(1)
  })
})

test('changes are not known outside of a repository', () => {
  expect(changesSinceLanding('/')).toBeNull()
})
