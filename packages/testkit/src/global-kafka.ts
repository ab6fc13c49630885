/** One Kafka broker and one schema registry per test run. */
export default async function startKafka(): Promise<() => Promise<void>> {
  return async () => undefined
}
