/** The broker of a test run, for its tests. */

/** Environment variable that global-kafka sets, in JSON. */
export const KAFKA_ACCESS = 'CUPEL_TEST_KAFKA_ACCESS'

export interface TestKafkaAccess {
  /** Bootstrap addresses, `host:port`. */
  readonly brokers: readonly string[]
  /** Absent for a broker that KAFKA_BROKERS names, and in containers. */
  readonly sasl?: { readonly mechanism: 'plain'; readonly username: string; readonly password: string }
}

/** Throws in a project without a broker. */
export function testKafka(): TestKafkaAccess {
  const access = process.env[KAFKA_ACCESS]
  if (access === undefined)
    throw new Error(`${KAFKA_ACCESS} is not set: this test belongs to the project kafka`)
  return JSON.parse(access) as TestKafkaAccess
}
