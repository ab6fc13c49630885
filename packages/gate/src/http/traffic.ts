/**
 * Tracks the calls under way, for calls that make room for others. Screens go before other calls, because somebody decides on a
 * transfer meanwhile: any other call takes its next step while no screen is open in this process, or once it has waited long
 * enough.
 */
import { createDeadlineQueue } from '@cupel/kit/concurrency'

export interface Traffic {
  /** A call of this account was admitted. */
  note(accountId: string): void
  /** Whether an account other than this one called within the last `ms` milliseconds. */
  othersCalledWithin(accountId: string, ms: number): boolean
  /** A screen is open until the returned function is called, which happens once. */
  openScreen(): () => void
  /** Resolves when no screen is open, after MAX_STEP_WAIT_MS at the latest. Undefined where none is open now. */
  quietMoment(): Promise<void> | undefined
}

/** The longest wait of a step. A call has three steps, and more where its answer is large. */
export const MAX_STEP_WAIT_MS = 25

export function createTraffic(now: () => number = () => performance.now()): Traffic {
  return { ...createCallers(now), ...createPrecedence() }
}

/** Two times are enough: that of the last call, and that of the last call of any other account. */
function createCallers(now: () => number): Pick<Traffic, 'note' | 'othersCalledWithin'> {
  let lastAccountId = ''
  let lastMs = -Infinity
  let othersMs = -Infinity
  return {
    note(accountId) {
      if (accountId !== lastAccountId) othersMs = lastMs
      lastAccountId = accountId
      lastMs = now()
    },
    othersCalledWithin: (accountId, ms) => now() - (accountId === lastAccountId ? othersMs : lastMs) <= ms,
  }
}

function createPrecedence(): Pick<Traffic, 'openScreen' | 'quietMoment'> {
  const waiting = new Set<() => void>()
  const deadlines = createDeadlineQueue<() => void>(release)
  let screens = 0

  function release(steps: Iterable<() => void>): void {
    for (const step of steps) {
      waiting.delete(step)
      deadlines.delete(step)
      step()
    }
  }

  return {
    openScreen() {
      screens += 1
      return () => {
        screens -= 1
        if (screens === 0 && waiting.size > 0) release([...waiting])
      }
    },
    quietMoment() {
      if (screens === 0) return undefined
      return new Promise((resolve) => {
        waiting.add(resolve)
        deadlines.add(resolve, MAX_STEP_WAIT_MS)
      })
    },
  }
}
