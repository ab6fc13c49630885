/**
 * Limits the screens that wait for late stages. They have places of their own: other screens and other accounts lose none to them. Without a
 * place the preference of the caller is ignored, and its screen is answered like any other. An account has another place as long as it has fewer than
 * are left: it takes many accounts to use up all of them.
 */
export interface Patience {
  /** Takes a place; the returned function leaves it. Null if there is none. */
  take(accountId: string): (() => void) | null
}

export const MAX_WAITING = 128
export const MAX_WAITING_OF_ACCOUNT = 16

export function createPatience(): Patience {
  const waiting = new Map<string, number>()
  let all = 0
  return {
    take(accountId) {
      const own = waiting.get(accountId) ?? 0
      if (own >= Math.min(MAX_WAITING_OF_ACCOUNT, MAX_WAITING - all)) return null
      all += 1
      waiting.set(accountId, own + 1)
      return () => {
        all -= 1
        const left = waiting.get(accountId)! - 1
        if (left === 0) waiting.delete(accountId)
        else waiting.set(accountId, left)
      }
    },
  }
}
