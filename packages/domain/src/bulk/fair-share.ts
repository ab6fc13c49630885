/**
 * Divides the releases among accounts: deficit round robin (Shreedhar and Varghese 1995), with every item costing the same. Each account in
 * turn gets a quantum. If the room runs out, the account keeps the rest for its next turn, so that over any period two accounts with work
 * left differ by at most one quantum.
 */

export interface Queue {
  readonly account: string
  /** Jobs in the order of their submission, with the remaining items of each. */
  readonly jobs: readonly { readonly jobId: string; readonly left: number }[]
}

export interface Allotment {
  readonly jobId: string
  readonly items: number
}

/** The state of the round, kept from one call to the next. Its loss does no harm. */
export interface RoundState {
  /** Accounts in the order of their turns; the first one is next. */
  readonly order: readonly string[]
  /** Items that an account may still release in its turn. */
  readonly deficits: ReadonlyMap<string, number>
}

export const firstRound: RoundState = { order: [], deficits: new Map() }

/** Items an account may release before the next one has its turn. */
export const QUANTUM_ITEMS = 32

export function shareRoom(
  round: RoundState,
  queues: readonly Queue[],
  room: number,
): { readonly allotments: readonly Allotment[]; readonly round: RoundState } {
  const left = new Map(queues.map(({ account, jobs }) => [account, jobs.map((job) => ({ ...job }))]))
  const known = round.order.filter((account) => left.has(account))
  // A new account comes last: it waits for one turn of each of the others, never longer.
  const order = [
    ...known,
    ...queues.map(({ account }) => account).filter((account) => !known.includes(account)),
  ]
  const deficits = new Map([...round.deficits].filter(([account]) => left.has(account)))
  const taken = new Map<string, number>()
  while (room > 0 && order.length > 0) {
    const account = order[0]!
    const jobs = left.get(account)!
    let allowance = deficits.get(account) ?? QUANTUM_ITEMS
    while (allowance > 0 && room > 0 && jobs.length > 0) {
      const job = jobs[0]!
      const items = Math.min(allowance, room, job.left)
      taken.set(job.jobId, (taken.get(job.jobId) ?? 0) + items)
      allowance -= items
      room -= items
      job.left -= items
      if (job.left === 0) jobs.shift()
    }
    if (jobs.length === 0) {
      // An account without work accumulates no deficit.
      order.shift()
      deficits.delete(account)
    } else if (allowance === 0) {
      order.push(order.shift()!)
      deficits.delete(account)
    } else {
      deficits.set(account, allowance)
    }
  }
  return {
    allotments: [...taken].flatMap(([jobId, items]) => (items > 0 ? [{ jobId, items }] : [])),
    round: { order, deficits },
  }
}
