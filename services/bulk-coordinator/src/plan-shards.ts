/** Plans which shards a coordinator takes and gives up, so that the live coordinators hold equal numbers of shards. */

export interface SeenShards {
  readonly count: number
  /** Server process of this coordinator’s session. */
  readonly me: number
  /** Server processes of all live coordinators, including this one. */
  readonly live: readonly number[]
  readonly held: readonly { readonly shard: number; readonly by: number }[]
}

export interface ShardPlan {
  readonly give: readonly number[]
  readonly take: readonly number[]
  /** Whether this coordinator may take a shard that becomes free. */
  readonly isShort: boolean
}

export function planShards({ count, me, live, held }: SeenShards): ShardPlan {
  const most = Math.ceil(count / live.length)
  const least = Math.floor(count / live.length)
  const numberOf = (by: number): number => held.filter((one) => one.by === by).length
  const mine = held.filter(({ by }) => by === me).map(({ shard }) => shard)
  const taken = new Set(held.map(({ shard }) => shard))
  const free = Array.from({ length: count }, (_, shard) => shard).filter((shard) => !taken.has(shard))
  // Shards that others lack are left to them.
  const lacking = live.reduce((sum, by) => (by === me ? sum : sum + Math.max(0, least - numberOf(by))), 0)
  const due = Math.max(0, least - mine.length)
  const extra = mine.length + due < most && free.length - due > lacking ? 1 : 0
  return {
    give: highest(mine, excess()),
    take: free.slice(0, due + extra),
    isShort: mine.length < most,
  }

  function excess(): number {
    if (mine.length > most) return mine.length - most
    const isFirst = live.every(
      (by) => by === me || numberOf(by) < mine.length || (numberOf(by) === mine.length && by < me),
    )
    return mine.length > least && lacking > free.length && isFirst ? 1 : 0
  }
}

/** Keeps the lowest shards: the holder of shard 0 decides watches too, and stays. */
function highest(shards: readonly number[], count: number): number[] {
  return count === 0 ? [] : [...shards].sort((one, other) => one - other).slice(-count)
}
