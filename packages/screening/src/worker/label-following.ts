/**
 * Judges whether the label view follows the label topic. A view that no longer moves answers queries like a current one, so the
 * scorer watches its distance to the end of the topic. Up to a limit the view is current. Past that limit every report says that
 * its labels are stale, and no report is green. Past a longer limit, where the beginning of a topic was deleted, and where a view
 * contradicts its topic, the scorer screens nothing: a view of the rest of a topic lacks labels and looks complete.
 */

/** Limits in milliseconds, counted from the moment at which the view was last known to be complete. */
export interface FollowingLimits {
  readonly staleAfterMs: number
  readonly refuseAfterMs: number
}

/**
 * One look at the topics and at the view. `viewNext` is null where there is no view, `inputFault` where the topics
 * begin at offset 0 and no view contradicts them.
 */
export interface FollowingObservation {
  readonly at: number
  readonly endOffset: number
  readonly viewNext: number | null
  readonly inputFault: string | null
}

export interface Following {
  /** End of the label topic at the first look: the service is not ready before the view has reached it. */
  readonly bootEnd: number | null
  readonly reachedBootEnd: boolean
  readonly hasView: boolean
  /** Why topics or views cannot be used; null where they can. */
  readonly inputFault: string | null
  /** The last time at which the view is known to have contained everything in the topic. */
  readonly followedAt: number | null
  /** Ends of the topic that the view has not reached yet, oldest first. */
  readonly pending: readonly { readonly at: number; readonly endOffset: number }[]
  readonly behind: number
}

export const notYetFollowing: Following = {
  bootEnd: null,
  reachedBootEnd: false,
  hasView: false,
  inputFault: null,
  followedAt: null,
  pending: [],
  behind: 0,
}

export function observe(
  following: Following,
  { at, endOffset, viewNext, inputFault }: FollowingObservation,
): Following {
  const bootEnd = following.bootEnd ?? endOffset
  const seen = [...following.pending, { at, endOffset }]
  const reached = viewNext === null ? [] : seen.filter((end) => end.endOffset <= viewNext)
  const pending = viewNext === null ? seen : seen.filter((end) => end.endOffset > viewNext)
  return {
    bootEnd,
    reachedBootEnd: following.reachedBootEnd || (viewNext !== null && viewNext >= bootEnd),
    hasView: viewNext !== null,
    inputFault,
    followedAt: reached.at(-1)?.at ?? following.followedAt,
    // Of several looks with the same end only the last counts: a view that reaches that end was complete until then.
    pending: pending
      .filter((end, index) => end.endOffset !== pending[index + 1]?.endOffset)
      .slice(0, MAX_PENDING),
    behind: Math.max(0, endOffset - (viewNext ?? 0)),
  }
}

/** Ends remembered at once. A view that is this many looks behind is stale, whichever end it reaches next. */
const MAX_PENDING = 1_000

export type FollowingVerdict =
  | { readonly kind: 'starting'; readonly reason: string }
  | { readonly kind: 'current'; readonly lagMs: number }
  | { readonly kind: 'lagging'; readonly lagMs: number }
  | { readonly kind: 'refused'; readonly lagMs: number | null; readonly reason: string }

export function judgeFollowing(following: Following, now: number, limits: FollowingLimits): FollowingVerdict {
  if (following.inputFault !== null) return { kind: 'refused', lagMs: null, reason: following.inputFault }
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
