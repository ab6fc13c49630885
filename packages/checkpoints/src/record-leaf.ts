/** The leaves of a partition's hash tree: one per offset, in the order of the offsets. */
import { hash } from 'node:crypto'
import { turnsOnly, type Pauses } from '@cupel/concurrency'
import type { AuthenticLog, EventLog, LogRecord, Place } from '@cupel/event-log'
import { leafHash } from '@cupel/signing'

const FORMAT = 'cupel-record-1'

/**
 * The hash of a record: RFC 6962's leaf hash of a JSON array in UTF-8 of format, topic, partition, offset, key, headers in the order
 * of their names, and SHA-256 of the value in hex.
 */
export function leafOf({ topic, partition, offset, key, headers, value }: LogRecord): Buffer {
  const names = Object.keys(headers).sort()
  const contents = [key, names.map((name) => [name, headers[name]]), hash('sha256', value, 'hex')]
  return leafHash(Buffer.from(JSON.stringify([FORMAT, topic, partition, offset, ...contents])))
}

/** The leaf of an offset at which the log has no record: Kafka keeps the ends of transactions there. */
function leafOfNothing(topic: string, partition: number, offset: number): Buffer {
  return leafHash(Buffer.from(JSON.stringify([FORMAT, topic, partition, offset])))
}

/**
 * The leaves of the offsets `from` ≤ offset < `to`, in pages without gaps, with pauses between the records. Throws the errors of the log.
 */
export async function* leafPages(
  log: Pick<EventLog, 'read'> | Pick<AuthenticLog, 'read' | 'unchecked'>,
  { topic, partition }: Place,
  { from, to }: { from: number; to: number },
  pauses: Pauses = turnsOnly(),
): AsyncGenerator<Buffer[]> {
  let next = from
  // The tree covers the log as it is, so it includes records of other producers.
  const whole = 'unchecked' in log ? log.unchecked : log
  for await (const records of whole.read({ topic, partition, from, to })) {
    const leaves: Buffer[] = []
    for (const record of records) {
      for (; next < record.offset; next += 1) leaves.push(leafOfNothing(topic, partition, next))
      leaves.push(leafOf(record))
      next += 1
      await pauses.next()
    }
    yield leaves
  }
  const rest: Buffer[] = []
  for (; next < to; next += 1) rest.push(leafOfNothing(topic, partition, next))
  if (rest.length > 0) yield rest
}
