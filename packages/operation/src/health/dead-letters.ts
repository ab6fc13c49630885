import { deadLetterGroups, deadLetterTopic, listDeadLetters, type EventLog } from '@cupel/event-log'

/** The dead letters that were neither redriven nor dismissed, by topic. */
export async function readDeadLetters(
  log: EventLog,
): Promise<{ readonly topic: string; readonly records: number }[]> {
  return await Promise.all(
    deadLetterGroups.map(async (group) => ({
      topic: deadLetterTopic(group).name,
      records: (await listDeadLetters(log, group)).length,
    })),
  )
}
