/** Checks that the policy view has exactly the activations of the log: its newest row decides every screen. */
import { topicOf } from '@cupel/contracts'
import { type EventCodec, type EventLog, LogStoppedError } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { loadCheckpoint, readModelGroup } from '@cupel/projections'
import { contradictionOf, listPolicies, policyView, readStatedPolicies } from '@cupel/read-models'
import type { Problem } from './problem.js'

const PLACE = { topic: topicOf('PolicyActivated'), partition: 0 }

/** Activations that the projection has not read yet do not count as missing. */
export async function comparePolicyView(
  database: Database,
  { log, codec }: { readonly log: EventLog; readonly codec: EventCodec },
): Promise<readonly Problem[]> {
  // Without its front, which is reported by itself, the log no longer states every row.
  if ((await log.startOffset(PLACE.topic, PLACE.partition)) > 0) return []
  // Read in this order, the log has everything that the view has, and the view everything before its checkpoint.
  const projected =
    (await loadCheckpoint(database, { group: readModelGroup(policyView), ...PLACE }))?.next ?? 0
  const rows = await listPolicies(database, { limit: MAX_ROWS })
  const stated = await readStatedPolicies(log, codec).catch(unlessStopped)
  if (stated === null) return []
  const seen = new Set(rows.map(({ policySeq }) => policySeq))
  return [
    ...rows.flatMap((row) => {
      const detail = contradictionOf(row, stated)
      const offset = stated[row.policySeq - 1]?.offset ?? 0
      return detail === null ? [] : [{ kind: 'read-model' as const, ...PLACE, offset, detail }]
    }),
    ...stated
      .filter(({ policySeq, offset }) => offset < projected && !seen.has(policySeq))
      .map(({ policySeq, policyId, version, offset }) => ({
        ...{ kind: 'read-model' as const, ...PLACE, offset },
        detail: `Activation ${policySeq} (${policyId} ${version}) is missing in policy-view.`,
      })),
  ]
}

/** More than any installation activates. */
const MAX_ROWS = 100_000

/** The reading of the topic has reported what is missing in the log. */
function unlessStopped(error: unknown): null {
  if (error instanceof LogStoppedError) return null
  throw error
}
