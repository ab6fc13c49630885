/** Ends proposals whose change is made although the commit of its decision failed: the log says so, and who confirmed it. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { listUndecidedChanges, settleChange } from '../../second-person/index.js'
import type { Database } from '@cupel/postgres'
import { originOf } from './change-description.js'
import type { ChangeKinds } from './change-kinds.js'

const SETTLE_INTERVAL_MS = 3_600_000
const RETRY_MS = 10_000

/** At the start and each hour, in each instance: a decision is stored once. */
export function createChangeSettler(parts: {
  readonly database: Database
  readonly logger: Logger
  readonly kinds: ChangeKinds
}): { stop(): Promise<void> } {
  return startLoop({
    step: async () => {
      await settleChanges(parts)
      return SETTLE_INTERVAL_MS
    },
    restMs: RETRY_MS,
    firstAfterMs: 0,
    onError: (error) =>
      parts.logger.warn(
        { err: error },
        'It is unknown whether a proposed change was made; the next look tries again',
      ),
  })
}

async function settleChanges({
  database,
  kinds,
}: {
  readonly database: Database
  readonly kinds: ChangeKinds
}): Promise<void> {
  for (const { name, made } of kinds) {
    if (made === undefined) continue
    const undecided = await listUndecidedChanges(database, name)
    if (undecided.length === 0) continue
    const madeBy = await made()
    for (const { proposed } of undecided) {
      const decision = madeBy(originOf(proposed))
      if (decision !== null) await settleChange(database, { changeId: proposed.changeId, ...decision })
    }
  }
}
