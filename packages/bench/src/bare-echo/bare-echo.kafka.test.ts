import { testKafka } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { runPhase } from '../load.js'
import { newPrefix } from '../log-connection.js'
import { bareEchoClient, startBareEcho } from './bare-echo.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(`The bare echo${missing === undefined ? '' : ` (${missing})`}`, () => {
  test('answers every request, and a request without an echo is an error', async () => {
    const connection = { ...testKafka(), topicPrefix: newPrefix() }
    const impatient = await bareEchoClient(connection, 300)
    await expect(impatient.send(0)).rejects.toThrow('no answer from the bare echo')
    await impatient.close()
    const echo = await startBareEcho(connection)
    const client = await bareEchoClient(connection)
    const result = await runPhase({ kind: 'closed', level: 8, seconds: 1 }, client.send, 1)
    expect(result.errors).toBe(0)
    expect(result.requests).toBeGreaterThanOrEqual(8)
    await client.close()
    await echo.stop()
  })
})
