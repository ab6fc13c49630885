/** The heights of a segment with those of one more batch. */

/** Null if no row states a height. */
export interface Heights {
  readonly firstHeight: number | null
  readonly lastHeight: number | null
  readonly lastHeightAtS: number | null
}

export function widened(state: Heights, { firstHeight, lastHeight, lastHeightAtS }: Heights): Heights {
  const first =
    state.firstHeight === null
      ? firstHeight
      : firstHeight === null
        ? state.firstHeight
        : Math.min(state.firstHeight, firstHeight)
  const isLater = lastHeight !== null && (state.lastHeight === null || lastHeight >= state.lastHeight)
  return {
    firstHeight: first,
    lastHeight: isLater ? lastHeight : state.lastHeight,
    lastHeightAtS: isLater ? lastHeightAtS : state.lastHeightAtS,
  }
}
