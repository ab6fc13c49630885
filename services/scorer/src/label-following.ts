/**
 * Whether the label view follows the label topic. A view that stands still answers as confidently as one that is current,
 * so its distance to the end of the topic is watched from outside: up to a limit it is current, past it every report says
 * that its labels are stale and nothing is green, and past a longer one nothing is screened at all.
 */

/** Lengths of time, in milliseconds, from the moment the view was last known to hold everything. */
export interface FollowingLimits {
  readonly staleAfterMs: number
  readonly refuseAfterMs: number
}

/** One look at both ends. `viewNext` is null where there is no view. */
export interface FollowingObservation {
  readonly at: number
  readonly endOffset: number
  readonly viewNext: number | null
}

export interface Following {
  /** End of the label topic at the first look: the service is not ready before the view has reached it. */
  readonly bootEnd: number | null
  readonly reachedBootEnd: boolean
  readonly hasView: boolean
  /** Last time of which it is known that the view held everything that the topic held then. */
  readonly followedAt: number | null
  /** Ends that were seen and not yet reached, oldest first. */
  readonly pending: readonly { readonly at: number; readonly endOffset: number }[]
  readonly behind: number
}

export const notYetFollowing: Following = {
  bootEnd: null,
  reachedBootEnd: false,
  hasView: false,
  followedAt: null,
  pending: [],
  behind: 0,
}

export function observe(following: Following, { at, endOffset, viewNext }: FollowingObservation): Following {
  const bootEnd = following.bootEnd ?? endOffset
  const seen = [...following.pending, { at, endOffset }]
  const reached = viewNext === null ? [] : seen.filter((end) => end.endOffset <= viewNext)
  const pending = viewNext === null ? seen : seen.filter((end) => end.endOffset > viewNext)
  return {
    bootEnd,
    reachedBootEnd: following.reachedBootEnd || (viewNext !== null && viewNext >= bootEnd),
    hasView: viewNext !== null,
    followedAt: reached.at(-1)?.at ?? following.followedAt,
    // Of looks that saw the same end the last one says most: reaching it proves the view to have been complete until then.
    pending: pending
      .filter((end, index) => end.endOffset !== pending[index + 1]?.endOffset)
      .slice(0, MAX_PENDING),
    behind: Math.max(0, endOffset - (viewNext ?? 0)),
  }
}

/** Ends remembered at once. A view that is this many looks behind is stale long before it matters which one it reaches. */
const MAX_PENDING = 1_000

export type FollowingVerdict =
  | { readonly kind: 'starting'; readonly reason: string }
  | { readonly kind: 'current'; readonly lagMs: number }
  | { readonly kind: 'lagging'; readonly lagMs: number }
  | { readonly kind: 'refused'; readonly lagMs: number | null; readonly reason: string }

export function judgeFollowing(following: Following, now: number, limits: FollowingLimits): FollowingVerdict {
  if (!following.reachedBootEnd || following.followedAt === null) {
    return {
      kind: 'starting',
      reason: `The label view is ${following.behind} records behind the label topic.`,
    }
  }
  const lagMs = Math.max(0, now - following.followedAt)
  if (!following.hasView) return { kind: 'refused', lagMs, reason: 'There is no label view.' }
  if (lagMs > limits.refuseAfterMs) {
    return {
      kind: 'refused',
      lagMs,
      reason: `The label view has not followed the label topic for ${Math.round(lagMs / 1_000)} s.`,
    }
  }
  return { kind: lagMs > limits.staleAfterMs ? 'lagging' : 'current', lagMs }
}
