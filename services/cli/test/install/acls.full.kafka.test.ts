/** `cupel install --diff-acls` and `--apply-acls` at the local broker, whose own user may alter the cluster. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { ensureKafkaPrograms, startKafka, type RunningKafka } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel } from '../command-line.js'
import { kafkaSettings } from '../kafka-settings.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const CASE_TIMEOUT_MS = 240_000
const REPORTS = 'screening.report.events.v1'

interface Difference {
  readonly missing: readonly string[]
  readonly denied: readonly string[]
  readonly further: readonly string[]
}

describe.skipIf(missing !== undefined)(
  `Rights at the brokers${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: CASE_TIMEOUT_MS },
  () => {
    let folder: string
    let kafka: RunningKafka
    beforeAll(async () => {
      folder = await newKafkaFolder()
      const jars = await ensureKafkaPrograms()
      kafka = await startKafka({
        ...{ jars, folder, recordFolder: RECORD_FOLDER, logFile: join(folder, 'kafka.log'), heapMb: 256 },
      })
    }, CASE_TIMEOUT_MS)
    afterAll(async () => {
      await (kafka as RunningKafka | undefined)?.stop()
      rmSync(folder, { recursive: true, force: true })
    }, CASE_TIMEOUT_MS)

    const install = (...args: string[]) =>
      callCupel(kafkaSettings(kafka.access), ['install', ...args, '--json'])
    const difference = async (): Promise<Difference & { readonly exitCode: number }> => {
      const { out, error, exitCode } = await install('--diff-acls')
      expect(error).toBeNull()
      return { ...(JSON.parse(out) as Difference), exitCode }
    }
    test('what is missing is granted, and what an administrator allows beyond it is named', async () => {
      const before = await difference()
      expect(before).toMatchObject({ denied: [], further: [], exitCode: 1 })
      expect(before.missing.length).toBeGreaterThan(300)
      expect((await install('--apply-acls')).error).toBeNull()
      const nothing = { missing: [], denied: [], further: [], exitCode: 0 }
      await until(async () => expect(await difference()).toEqual(nothing))

      const { createAcls } = await import('@cupel/event-log/kafka')
      await createAcls({ ...kafka.access, clientId: 'administrator', logger: silentLogger }, [
        {
          ...{ principal: 'User:cupel-scorer', resource_type: 'topic', name: REPORTS, pattern: 'literal' },
          operation: 'Alter',
        },
      ])
      const further = [`User:cupel-scorer is allowed Alter on the topic ${REPORTS}, and does not need it.`]
      await until(async () => expect(await difference()).toEqual({ ...nothing, further }))
      expect((await install('--apply-acls')).error).toBeNull()
    })
  },
)
