/** Where a place of the log begins, for work that goes on behind it. */
import { LogUnavailableError, type EventLog, type Place } from '@cupel/event-log'

/**
 * The oldest offset; 0 while the archive that has the front of the log cannot be asked. Whoever reads from where it came to needs no archive
 * for it, and reading what is not there rejects.
 */
export async function knownStart(
  log: Pick<EventLog, 'startOffset'>,
  { topic, partition }: Place,
): Promise<number> {
  return await log.startOffset(topic, partition).catch((error: unknown) => {
    if (error instanceof LogUnavailableError) return 0
    throw error
  })
}
