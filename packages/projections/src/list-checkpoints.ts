/** Lists every checkpoint, for operators. */
import type { Checkpoint } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import type { GroupPartition } from './checkpoint.js'

export async function listCheckpoints(database: Queryable): Promise<(GroupPartition & Checkpoint)[]> {
  return await database.query<GroupPartition & Checkpoint & Record<string, unknown>>(
    `SELECT group_name AS group, topic, partition, next, log FROM projection.checkpoint
     ORDER BY group_name, topic, partition`,
  )
}
