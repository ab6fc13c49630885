/**
 * Provides one Kafka broker and one schema registry per test run: those that KAFKA_BROKERS and SCHEMA_REGISTRY_URL name, otherwise
 * local processes from Maven jars on Java 17, otherwise Docker containers. Without any of them the tests are skipped with the reason;
 * under CI the run fails.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureKafkaPrograms, startKafka, startRegistry } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER } from './kafka-folder.js'
import { KAFKA_ACCESS, type TestKafkaAccess } from './test-kafka.js'
import { startKafkaContainers, type TestKafka } from './kafka-containers.js'

/** Environment variables that tests read. */
const REGISTRY = 'CUPEL_TEST_REGISTRY_URL'
const MISSING = 'CUPEL_TEST_KAFKA_MISSING'

export default async function provideKafka(): Promise<() => Promise<void>> {
  const given = process.env['KAFKA_BROKERS']
  if (process.env[KAFKA_ACCESS] !== undefined) return async () => undefined
  if (given !== undefined && given !== '') {
    provide({ brokers: given.split(',') })
    const registry = process.env['SCHEMA_REGISTRY_URL']
    if (registry !== undefined && registry !== '') process.env[REGISTRY] = registry
    return async () => undefined
  }
  const refusals: string[] = []
  for (const [name, start] of [
    ['Java and Maven', startFromJars],
    ['Docker', startKafkaContainers],
  ] as const) {
    try {
      const kafka = await start()
      provide(kafka.access)
      process.env[REGISTRY] = kafka.registryUrl
      return () => kafka.stop()
    } catch (error) {
      refusals.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const reason = `No Kafka to test on. ${refusals.join(' ')} KAFKA_BROKERS may name one.`
  if (process.env['CI'] === 'true' || process.env['CI'] === '1') throw new Error(reason)
  console.warn(`\n${reason} The tests that need it are skipped.\n`)
  process.env[MISSING] = reason
  return async () => undefined
}

function provide(access: TestKafkaAccess): void {
  process.env[KAFKA_ACCESS] = JSON.stringify(access)
}

async function startFromJars(): Promise<TestKafka> {
  const jars = await ensureKafkaPrograms({ onProgress: (sentence) => console.log(sentence) })
  const folder = await newKafkaFolder()
  const common = { jars, recordFolder: join(folder, RECORD_FOLDER) }
  const starting = [
    startKafka({
      ...common,
      folder: join(folder, 'kafka'),
      logFile: join(folder, 'kafka.log'),
    }),
    startRegistry({ ...common, folder: join(folder, 'registry'), logFile: join(folder, 'registry.log') }),
  ] as const
  const [kafka, registry] = await Promise.allSettled(starting)
  const stop = async (): Promise<void> => {
    if (registry.status === 'fulfilled') await registry.value.stop()
    if (kafka.status === 'fulfilled') await kafka.value.stop()
    await rm(folder, { recursive: true, force: true })
  }
  if (kafka.status === 'fulfilled' && registry.status === 'fulfilled')
    return { access: kafka.value.access, registryUrl: registry.value.url, stop }
  await stop()
  throw kafka.status === 'rejected' ? kafka.reason : (registry as PromiseRejectedResult).reason
}
