/** What a log has: the partitions of topics, where each begins and ends, and every record of them. */
import type { TopicSpec } from '@cupel/contracts'
import type { EventLog, LogRange, LogRecord, Place, Position } from './port.js'

type Topics = readonly (string | TopicSpec)[]
type Bounded = Pick<EventLog, 'partitionCount' | 'startOffset' | 'endOffset'>

/** Every partition of the topics. */
export async function placesOf(log: Pick<EventLog, 'partitionCount'>, topics: Topics): Promise<Place[]> {
  const names = topics.map((topic) => (typeof topic === 'string' ? topic : topic.name))
  const counts = await Promise.all(names.map((name) => log.partitionCount(name)))
  return names.flatMap((topic, index) =>
    Array.from({ length: counts[index]! }, (_, partition) => ({ topic, partition })),
  )
}

/** The offset that the next record of each place will get. */
export async function endsOf(
  log: Pick<EventLog, 'partitionCount' | 'endOffset'>,
  topics: Topics,
): Promise<Position[]> {
  const places = await placesOf(log, topics)
  return await Promise.all(
    places.map(async ({ topic, partition }) => ({
      ...{ topic, partition, offset: await log.endOffset(topic, partition) },
    })),
  )
}

/** The records that a place has now. */
export async function rangeOf(
  log: Pick<EventLog, 'startOffset' | 'endOffset'>,
  { topic, partition }: Place,
): Promise<LogRange> {
  const [from, to] = await Promise.all([log.startOffset(topic, partition), log.endOffset(topic, partition)])
  return { topic, partition, from, to }
}

/** The records that each place of the topics has now; `from` equals `to` if it has none. */
export async function rangesOf(log: Bounded, topics: Topics): Promise<LogRange[]> {
  return await Promise.all((await placesOf(log, topics)).map((place) => rangeOf(log, place)))
}

/** Every record that the topics had at the first call, in the order of each partition. */
export async function* scan(
  log: Bounded & Pick<EventLog, 'read'>,
  topics: Topics,
): AsyncGenerator<LogRecord> {
  for (const range of await rangesOf(log, topics))
    if (range.from < range.to) for await (const records of log.read(range)) yield* records
}

/** The last record of a place; null if it has none. */
export async function lastRecord(
  log: Pick<EventLog, 'startOffset' | 'endOffset' | 'read'>,
  place: Place,
): Promise<LogRecord | null> {
  const { from, to } = await rangeOf(log, place)
  let last: LogRecord | null = null
  if (from < to)
    for await (const records of log.read({ ...place, from: to - 1, to })) last = records.at(-1) ?? last
  return last
}

/** One string per place, for use as a map key and in sentences. */
export const placeOf = ({ topic, partition }: Place): string => `${topic}/${partition}`
