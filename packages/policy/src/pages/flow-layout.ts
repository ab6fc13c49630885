/** Coordinates for a picture of how reports move from level to level. Pure. */

export interface LevelFlow {
  readonly from: string
  readonly to: string
  readonly count: number
}

export interface FlowBar {
  readonly level: string
  readonly count: number
  readonly y: number
  readonly height: number
}

export interface FlowBand extends LevelFlow {
  /** Top of the band on either side, and its height. */
  readonly fromY: number
  readonly toY: number
  readonly height: number
}

export interface FlowLayout {
  readonly before: readonly FlowBar[]
  readonly after: readonly FlowBar[]
  readonly bands: readonly FlowBand[]
  readonly height: number
}

/** Worst first; levels of later versions follow. */
const order = ['red', 'orange', 'grey', 'green']
const FLOW_HEIGHT = 260
const GAP = 26
/** One report among thousands can still be seen. */
const LEAST_HEIGHT = 3

const rankOf = (level: string): number => (order.includes(level) ? order.indexOf(level) : order.length)
const byRank = (a: string, b: string): number => rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0)

export function layOutFlow(flows: readonly LevelFlow[]): FlowLayout {
  const counted = flows.filter(({ count }) => count > 0)
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  const heightOf = ({ count }: LevelFlow): number => Math.max(LEAST_HEIGHT, (count / total) * FLOW_HEIGHT)
  const before = barsOf(counted, 'from', heightOf)
  const after = barsOf(counted, 'to', heightOf)
  const used = { from: new Map<string, number>(), to: new Map<string, number>() }
  const place = (side: 'from' | 'to', bars: readonly FlowBar[], flow: LevelFlow): number => {
    const level = flow[side]
    const taken = used[side].get(level) ?? 0
    used[side].set(level, taken + heightOf(flow))
    return bars.find((bar) => bar.level === level)!.y + taken
  }
  const bands = [...counted]
    .sort((a, b) => byRank(a.from, b.from) || byRank(a.to, b.to))
    .map((flow) => ({
      ...flow,
      fromY: place('from', before, flow),
      toY: place('to', after, flow),
      height: heightOf(flow),
    }))
  const bottom = [...before, ...after].map(({ y, height }) => y + height)
  return { before, after, bands, height: Math.max(0, ...bottom) }
}

function barsOf(
  flows: readonly LevelFlow[],
  side: 'from' | 'to',
  heightOf: (flow: LevelFlow) => number,
): readonly FlowBar[] {
  let y = 0
  return [...new Set(flows.map((flow) => flow[side]))].sort(byRank).map((level) => {
    const own = flows.filter((flow) => flow[side] === level)
    const bar = {
      ...{ level, y },
      count: own.reduce((sum, { count }) => sum + count, 0),
      height: own.reduce((sum, flow) => sum + heightOf(flow), 0),
    }
    y += bar.height + GAP
    return bar
  })
}
