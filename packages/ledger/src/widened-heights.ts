/** The heights of a segment with those of one more batch. */
import type { Batch, SegmentState } from './store-batch.js'

export function widened(
  state: SegmentState,
  { firstHeight, lastHeight, lastHeightAtS }: Batch,
): Pick<SegmentState, 'firstHeight' | 'lastHeight' | 'lastHeightAtS'> {
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
