/** Settings with which a process reaches the broker of the test run, or another one. */
import type { TestKafkaAccess } from '@cupel/testkit'

export function kafkaSettings({ brokers, sasl }: TestKafkaAccess): Record<string, string> {
  return {
    CUPEL_LOG: 'kafka',
    CUPEL_KAFKA_BROKERS: brokers.join(','),
    ...(sasl === undefined
      ? {}
      : {
          CUPEL_KAFKA_SASL_MECHANISM: sasl.mechanism,
          CUPEL_KAFKA_USERNAME: sasl.username,
          CUPEL_KAFKA_PASSWORD: sasl.password,
        }),
  }
}
