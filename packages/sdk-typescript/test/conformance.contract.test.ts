/** The cases for every SDK, from packages/sdk-conformance, on the sources. runtimes.e2e.test.ts runs them on the package. */
import { conformanceCases, startScriptedServer, type ScriptedServer } from '@cupel/sdk-conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as sdk from '../src/index.js'
import { runCase } from './run-case.js'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScriptedServer()
})
afterAll(() => server.close())

describe.each([...conformanceCases()])('%s', (_file, cases) => {
  test.each(cases)('$name', async (one) => expect(await runCase(sdk, server, one)).toEqual([]))
})
