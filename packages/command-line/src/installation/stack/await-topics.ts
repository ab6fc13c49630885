/** A broker that has just started, or is short of processors, denies for a while that it leads its partitions. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicSpec } from '@cupel/contracts'
import { LogUnavailableError, type EventLog } from '@cupel/event-log'

/** How long a local broker may take to lead every partition again. */
const LEADING_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 250

/** Resolves when every partition of the topics answers. Throws LogUnavailableError if one does not in time. */
export async function awaitTopics(
  log: Pick<EventLog, 'endOffset'>,
  topics: readonly Pick<TopicSpec, 'name' | 'partitions'>[],
  withinMs = LEADING_WITHIN_MS,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (const { name, partitions } of topics)
    for (;;) {
      try {
        await Promise.all(
          Array.from({ length: partitions }, (_, partition) => log.endOffset(name, partition)),
        )
        break
      } catch (error) {
        if (!(error instanceof LogUnavailableError) || performance.now() >= giveUpAt) throw error
        await sleep(LOOK_EVERY_MS)
      }
    }
}
