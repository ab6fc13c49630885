/**
 * Reports to Kafka how far a group has read, so that Kafka's own tools show its lag (docs/adr/0020). No code reads these offsets back: the
 * positions of a group are its checkpoints in Postgres.
 */
import type { Logger } from '@cupel/contracts'
import type { GroupMembership } from './kafkajs.js'

export interface LagReport {
  /** Commits the changed offsets, at most once in LAG_REPORT_MS. Never rejects, and no caller waits for it. */
  send(member: GroupMembership, offsets: readonly GroupOffset[]): void
}

export interface GroupOffset {
  readonly wireTopic: string
  readonly partition: number
  /** The next offset to read. */
  readonly offset: number
}

/** Kafka's tools show the lag of a group with a delay of up to this. */
export const LAG_REPORT_MS = 5_000

export function createLagReport(group: string, logger: Logger): LagReport {
  const reported = new Map<string, number>()
  let reportedAt = 0
  let isUnderWay = false
  const placeOf = ({ wireTopic, partition }: GroupOffset): string => `${wireTopic}/${partition}`
  return {
    send({ coordinator, generationId, memberId }, offsets) {
      if (isUnderWay || Date.now() - reportedAt < LAG_REPORT_MS) return
      const changed = offsets.filter((each) => reported.get(placeOf(each)) !== each.offset)
      if (changed.length === 0 || coordinator === null || generationId === null || memberId === null) return
      isUnderWay = true
      reportedAt = Date.now()
      coordinator
        .offsetCommit({ groupId: group, groupGenerationId: generationId, memberId, topics: byTopic(changed) })
        .then(
          () => {
            for (const each of changed) reported.set(placeOf(each), each.offset)
          },
          // The group is rebalancing, which the next heartbeat reports, or the right to commit is missing.
          (error: unknown) => logger.debug({ group, error: String(error) }, 'Kafka was not told of the lag'),
        )
        .finally(() => (isUnderWay = false))
    },
  }
}

function byTopic(offsets: readonly GroupOffset[]) {
  const topics = new Map<string, { partition: number; offset: string }[]>()
  for (const { wireTopic, partition, offset } of offsets) {
    const partitions = topics.get(wireTopic) ?? []
    partitions.push({ partition, offset: String(offset) })
    topics.set(wireTopic, partitions)
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }))
}
