/** Reads a range of one partition in pages. */
import type { Database } from '@cupel/postgres'
import { LogStoppedError, type LogRecord } from '../port.js'
import { readLargePage, type PageLimits } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'
import { unavailable } from './unavailable.js'

const PAGE: PageLimits = { records: 2_000, bytes: 4 * 1024 * 1024 }

/** The records `from` ≤ offset < `to`, all of which are in the log. Throws LogStoppedError if some are gone. */
export async function* readRange(
  database: Database,
  address: PartitionAddress,
  from: number,
  to: number,
): AsyncGenerator<readonly LogRecord[]> {
  const pageFrom = (next: number): Promise<LogRecord[]> => readLargePage(database, address, next, to, PAGE)
  let next = from
  let coming = next < to ? pageFrom(next) : null
  while (coming !== null) {
    const page = await coming.catch((error: unknown) => unavailable(error))
    if (page.length === 0) {
      const message = `The records of ${address.topic}/${address.partition} from ${next} on vanished while they were read.`
      throw new LogStoppedError('truncated-log', message)
    }
    next += page.length
    // The next page is queried while the caller processes this one. A caller that stops reading ignores its error.
    coming = next < to ? pageFrom(next) : null
    coming?.catch(() => undefined)
    yield page
  }
}
