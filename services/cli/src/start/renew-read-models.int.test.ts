import { silentLogger } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { builtInRegistry } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { hasCurrentDefinition } from '@cupel/projections'
import { ensureDefaultPolicy } from '@cupel/policy'
import { policyView, readActivePolicy } from '@cupel/read-models'
import { createTestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareDatabase, prepareLog } from '../stack/foundation.js'
import { renewReadModels } from './renew-read-models.js'

let close: () => Promise<void> = () => Promise.resolve()
let stack: Parameters<typeof renewReadModels>[0]

beforeAll(async () => {
  const { connectionString, drop } = await createTestDatabase()
  const database = openDatabase({ connectionString, maxConnections: 10, applicationName: 'test' })
  await prepareDatabase(database, silentLogger)
  const log = openEmbeddedLog({ database })
  close = async () => {
    await log.close()
    await database.close()
    await drop()
  }
  const codec = await prepareLog({ database, registry: builtInRegistry(database), log, logger: silentLogger })
  stack = { log, codec, database }
})
afterAll(async () => await close())

test('a start over tables of another version builds them anew from the log, once', async () => {
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...stack, policy })
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
