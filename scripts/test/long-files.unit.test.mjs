import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { CI_TAKES_ONE_OF, commitOf, leftOutInCi, longFiles } from './long-files.mjs'
import { longest } from './longest-files.mjs'

const all = longFiles(root, longest)
const commits = ['00000000', '00000001', '00000002'].map((start) => start.padEnd(40, 'a'))
const taken = commits.map((commit) => {
  const leftOut = new Set(leftOutInCi(root, commit, longest))
  return all.filter((path) => !leftOut.has(path))
})

test('the long files are found, the longest first', () => {
  expect(all[0]).toBe(longest.find((path) => path.includes('.long.')))
  expect(all).toContain('scripts/node-versions.long.e2e.test.mjs')
  for (const path of all) expect(existsSync(join(root, path)), path).toBe(true)
})

test('each long file runs for one in three commits, and each commit takes a third of them', () => {
  expect(taken.flat().sort()).toEqual([...all].sort())
  for (const files of taken) expect(Math.abs(files.length - all.length / CI_TAKES_ONE_OF)).toBeLessThan(1)
})

test('the longest ones are spread over the commits', () => {
  for (const files of taken) expect(files.filter((path) => all.slice(0, 6).includes(path))).toHaveLength(2)
})

test('a commit takes the same files again; without one nothing is left out', () => {
  const commit = commitOf(root)
  expect(leftOutInCi(root, commit, longest)).toEqual(leftOutInCi(root, commit, longest))
  expect(leftOutInCi(root, null, longest)).toEqual([])
})

test('CI leaves out no full file', () => {
  for (const commit of commits)
    for (const path of leftOutInCi(root, commit, longest)) expect(path).toMatch(/\.long\./)
})

test('known long files exist', () => {
  for (const path of longest) expect(existsSync(join(root, path)), path).toBe(true)
})
