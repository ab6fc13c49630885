import { silentLogger } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { hasCurrentDefinition } from '@cupel/projections'
import { ensureDefaultPolicy } from '@cupel/policy'
import { policyView, readActivePolicy } from '@cupel/policy/read-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { renewReadModels } from '@cupel/command-line/installation'

let stack: CommandLine
beforeAll(async () => {
  stack = await openCommandLine()
})
afterAll(() => stack.close())

test('a start over tables of another version rebuilds them from the log, once', async () => {
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...stack.deps, policy })
  await stack.database.execute('UPDATE projection.read_model SET definition_sha256 = $1 WHERE name = $2', [
    'of another version',
    policyView.name,
  ])
  expect(await readActivePolicy(stack.database)).toBeNull()

  const notes: string[] = []
  const renewing = { logger: silentLogger, note: (sentence: string) => void notes.push(sentence) }
  await renewReadModels(stack, renewing)

  expect(notes).toEqual([expect.stringContaining(policyView.name)])
  expect(await hasCurrentDefinition(stack.database, policyView)).toBe(true)
  expect(await readActivePolicy(stack.database)).toMatchObject({ sha256 })
  await renewReadModels(stack, renewing)
  expect(notes).toHaveLength(1)
})
