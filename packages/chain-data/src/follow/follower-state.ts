/** What a follower tells of itself, so that one that cannot go on and one that ended are seen. */
import { sleep } from '@cupel/kit/concurrency'
import { forgetFollower, tellFollower, type Follower } from '@cupel/ledger'
import { FollowError } from './follow-error.js'
import type { FollowDeps } from './follow-options.js'

const TELL_MS = 5_000

export interface FollowerState {
  /** Whether a fault is over. */
  tell(change: Partial<Follower>): boolean
  /** Does nothing before something was told. */
  store(): Promise<void>
  fail(error: unknown): Promise<void>
  /** Nobody follows the chain any more. */
  forget(): Promise<void>
}

export function createState(chain: string, { database, onState }: FollowDeps): FollowerState {
  let state: Follower | null = null
  const changed = (change: Partial<Follower>): Follower => {
    const before = state ?? {
      headHeight: null,
      headAtS: null,
      importedAtS: null,
      fault: null,
      isReorganised: false,
      nextHeight: 0,
      chain,
    }
    // Without a fault there is none of that kind.
    state = { ...before, ...(change.fault === null ? { isReorganised: false } : {}), ...change }
    onState?.(state)
    return state
  }
  const store = async (): Promise<void> => {
    if (state !== null) await tellFollower(database, state)
  }
  return {
    tell(change) {
      const before = state?.fault ?? null
      return before !== changed(change).fault
    },
    store,
    async fail(error) {
      changed({
        fault: error instanceof FollowError ? error.message : 'an error of the follower itself',
        isReorganised: error instanceof FollowError && error.code === 'reorganised',
      })
      await store().catch(() => undefined)
    },
    async forget() {
      state = null
      await forgetFollower(database, chain)
    },
  }
}

/** Whether the follower runs shows from the time at which it last told its state. */
export function tellRegularly(state: FollowerState, { signal }: FollowDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const both = AbortSignal.any([signal, stopping.signal])
  const run = async (): Promise<void> => {
    while (!both.aborted) {
      // An unreachable database ends the follower elsewhere.
      await state.store().catch(() => undefined)
      await sleep(TELL_MS, both)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
