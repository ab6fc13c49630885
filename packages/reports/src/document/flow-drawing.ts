/**
 * The layouts of the flow picture, shared by page and PDF: sources, the screened address and destinations from left to right, or from top to
 * bottom for narrow screens. The same picture gives the same layout.
 */
import type { FlowEdge, FlowKind, FlowNode, FlowPicture } from './document.js'

export interface FlowPoint {
  readonly x: number
  readonly y: number
}

export interface FlowBox {
  readonly node: FlowNode
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Of its corners: services are round. */
  readonly radius: number
  readonly stroke: number
  /** What is not known has a dashed frame. */
  readonly isDashed: boolean
}

/** In the direction of the value. */
export interface FlowLine {
  readonly points: readonly FlowPoint[]
  /** The corners of its head. */
  readonly arrow: readonly [FlowPoint, FlowPoint, FlowPoint]
  readonly width: number
  readonly category: string
  readonly text: string
  /** Drawn with gaps. */
  readonly isIndirect: boolean
}

/** Points; a page may scale it. */
export interface FlowDrawing {
  readonly width: number
  readonly height: number
  readonly boxes: readonly FlowBox[]
  readonly lines: readonly FlowLine[]
  readonly text: {
    readonly x: number
    readonly titleSize: number
    readonly lineSize: number
    /** From the top of a box to the base of its title. */
    readonly titleY: number
    /** From one line to the next. */
    readonly leading: number
  }
}

export const FLOW_DRAWING_WIDTH = 503.28
const OUTER_WIDTH = 116
const BETWEEN_WIDTH = 68
const SUBJECT_WIDTH = 78
const ROW_GAP = 6
const wideText = { x: 5, titleSize: 7.5, lineSize: 7, titleY: 10, leading: 9 }
/** Height of the subject for each line that ends there. */
const ANCHOR_HEIGHT = 12

const MIN_LINE_WIDTH = 0.9
const MAX_LINE_WIDTH = 8
const ARROW_LENGTH = 5
/** Parts of a curve. */
const CURVE_PARTS = 12

const sided = ({ nodes }: FlowPicture, side: FlowNode['side']): readonly FlowNode[] =>
  nodes.filter((node) => node.side === side && node.kind !== 'between')
const betweenOf = ({ nodes, edges }: FlowPicture, { id }: FlowNode): FlowNode | undefined =>
  nodes.find(
    (node) =>
      node.kind === 'between' &&
      edges.some(({ from, to }) => (from === id && to === node.id) || (to === id && from === node.id)),
  )

/** Sources on the left, destinations on the right. */
export function flowDrawing(picture: FlowPicture): FlowDrawing {
  const sides = (['in', 'out'] as const).map((side) => sided(picture, side))
  const subject = picture.nodes.find(({ side }) => side === 'subject')!
  const rows = Math.max(...sides.map(({ length }) => length))
  const subjectHeight = Math.max(heightOf(subject, wideText), rows * ANCHOR_HEIGHT)
  const heights = sides.map((nodes) =>
    nodes.reduce((sum, node) => sum + heightOf(node, wideText) + ROW_GAP, 0),
  )
  const height = Math.max(...heights, subjectHeight)
  const middle = { x: (FLOW_DRAWING_WIDTH - SUBJECT_WIDTH) / 2, y: (height - subjectHeight) / 2 }
  const center = boxOf(subject, { ...middle, width: SUBJECT_WIDTH, height: subjectHeight })
  const outer = sides.flatMap((nodes, side) => {
    let y = (height - heights[side]!) / 2
    return nodes.flatMap((node) => {
      const own = heightOf(node, wideText)
      const x = side === 0 ? 0 : FLOW_DRAWING_WIDTH - OUTER_WIDTH
      const box = boxOf(node, { x, y, width: OUTER_WIDTH, height: own })
      y += own + ROW_GAP
      const between = betweenOf(picture, node)
      return between === undefined ? [box] : [box, besideOf(box, between, side === 0)]
    })
  })
  const boxes = [...outer, center]
  return {
    ...{ width: FLOW_DRAWING_WIDTH, height, boxes, text: wideText },
    lines: picture.edges.map((edge) => curveOf(edge, boxes, picture)),
  }
}

/** The gaps at both ends of a node between are equal. */
function besideOf(box: FlowBox, node: FlowNode, isLeft: boolean): FlowBox {
  const gap = ((FLOW_DRAWING_WIDTH - SUBJECT_WIDTH) / 2 - OUTER_WIDTH - BETWEEN_WIDTH) / 2
  const height = heightOf(node, wideText)
  const x = isLeft ? OUTER_WIDTH + gap : FLOW_DRAWING_WIDTH - OUTER_WIDTH - gap - BETWEEN_WIDTH
  return boxOf(node, { x, y: box.y + (box.height - height) / 2, width: BETWEEN_WIDTH, height })
}

function curveOf(edge: FlowEdge, boxes: readonly FlowBox[], picture: FlowPicture): FlowLine {
  const [from, to] = [
    boxes.find(({ node }) => node.id === edge.from)!,
    boxes.find(({ node }) => node.id === edge.to)!,
  ]
  const start = { x: from.x + from.width, y: anchorOf(from, edge, picture) }
  const end = { x: to.x - ARROW_LENGTH, y: anchorOf(to, edge, picture) }
  const bend = (start.x + end.x) / 2
  const points = Array.from({ length: CURVE_PARTS + 1 }, (_, part) => {
    const at = part / CURVE_PARTS
    const [a, b, c, d] = [(1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at ** 2 * (1 - at), at ** 3]
    return { x: a * start.x + (b + c) * bend + d * end.x, y: (a + b) * start.y + (c + d) * end.y }
  })
  return lineOf(edge, points, { x: 1, y: 0 })
}

/** Lines that end at the screened address stand below each other. */
function anchorOf({ node, y, height }: FlowBox, edge: FlowEdge, { edges }: FlowPicture): number {
  if (node.side !== 'subject') return y + height / 2
  const together = edges.filter((one) => (edge.to === node.id ? one.to : one.from) === node.id)
  return y + ((together.indexOf(edge) + 0.5) * height) / together.length
}

/** `towards`: the direction of its head. */
function lineOf(
  { category, text, isIndirect, weight }: FlowEdge,
  points: readonly FlowPoint[],
  towards: FlowPoint,
): FlowLine {
  const width = MIN_LINE_WIDTH + weight * (MAX_LINE_WIDTH - MIN_LINE_WIDTH)
  const half = Math.max(ARROW_LENGTH / 2, width / 2 + 1)
  const { x, y } = points.at(-1)!
  const arrow = [
    { x: x - towards.y * half, y: y - towards.x * half },
    { x: x + towards.y * half, y: y + towards.x * half },
    { x: x + towards.x * ARROW_LENGTH, y: y + towards.y * ARROW_LENGTH },
  ] as const
  return { points, arrow: [arrow[0], arrow[1], arrow[2]], width, category, text, isIndirect }
}

export const FLOW_COLUMN_WIDTH = 340
const columnText = { x: 10, titleSize: 13, lineSize: 12, titleY: 17, leading: 16 }
const RAIL_WIDTH = 36
/** Half of the widest head. */
const RAIL_START = 5
const COLUMN_GAP = 14
const BETWEEN_INDENT = 24

/** Sources above, destinations below; each line runs along the left edge. */
export function flowColumn(picture: FlowPicture): FlowDrawing {
  const placed = picture.nodes.filter(({ kind }) => kind !== 'between')
  const boxes: FlowBox[] = []
  let y = 0
  const place = (node: FlowNode, x: number): void => {
    const height = heightOf(node, columnText)
    boxes.push(boxOf(node, { x, y, width: FLOW_COLUMN_WIDTH - x, height }))
    y += height + COLUMN_GAP
  }
  for (const node of placed) {
    const between = betweenOf(picture, node)
    if (between !== undefined && node.side === 'out') place(between, RAIL_WIDTH + BETWEEN_INDENT)
    place(node, node.side === 'subject' ? 0 : RAIL_WIDTH)
    if (between !== undefined && node.side === 'in') place(between, RAIL_WIDTH + BETWEEN_INDENT)
  }
  return {
    ...{ width: FLOW_COLUMN_WIDTH, height: y - COLUMN_GAP, boxes, text: columnText },
    lines: picture.edges.map((edge) => railOf(edge, boxes, picture)),
  }
}

function railOf(edge: FlowEdge, boxes: readonly FlowBox[], { edges }: FlowPicture): FlowLine {
  const [from, to] = [
    boxes.find(({ node }) => node.id === edge.from)!,
    boxes.find(({ node }) => node.id === edge.to)!,
  ]
  const isOf = ({ from: one, to: other }: FlowEdge, id: string): boolean => one === id || other === id
  const subject = [from, to].find(({ node }) => node.side === 'subject')
  if (subject === undefined) {
    const x = RAIL_WIDTH + 2 * BETWEEN_INDENT
    const points = [
      { x, y: from.y + from.height },
      { x, y: to.y - ARROW_LENGTH },
    ]
    return lineOf(edge, points, { x: 0, y: 1 })
  }
  const together = edges.filter(
    (one) => isOf(one, subject.node.id) && (one.to === subject.node.id) === (edge.to === subject.node.id),
  )
  const x = RAIL_START + (together.indexOf(edge) * (RAIL_WIDTH - 2 * RAIL_START)) / together.length
  const middleOf = (box: FlowBox): number => box.y + box.height / 2
  if (to === subject)
    return lineOf(
      edge,
      [
        { x: from.x, y: middleOf(from) },
        { x, y: middleOf(from) },
        { x, y: to.y - ARROW_LENGTH },
      ],
      { x: 0, y: 1 },
    )
  return lineOf(
    edge,
    [
      { x, y: from.y + from.height },
      { x, y: middleOf(to) },
      { x: to.x - ARROW_LENGTH, y: middleOf(to) },
    ],
    { x: 1, y: 0 },
  )
}

const heightOf = ({ lines }: FlowNode, { titleY, leading }: FlowDrawing['text']): number =>
  titleY + lines.length * leading + (leading * 2) / 3

const round: ReadonlySet<FlowKind> = new Set(['service', 'issued', 'hub'])
const unclear: ReadonlySet<FlowKind> = new Set(['unknown', 'unread'])

function boxOf(node: FlowNode, place: Pick<FlowBox, 'x' | 'y' | 'width' | 'height'>): FlowBox {
  const { kind } = node
  return {
    ...{ node, ...place },
    radius: round.has(kind) ? Math.min(place.height / 2, 14) : kind === 'designated' ? 0 : 3,
    stroke: kind === 'designated' || kind === 'subject' ? 1.8 : 0.9,
    isDashed: unclear.has(kind),
  }
}

/** Characters that take the width of two. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff00-\uff60\p{Emoji_Presentation}]/u

const columnsOfOne = (character: string): number => (WIDE.test(character) ? 2 : 1)

/** The width of a text, in narrow characters. */
export const columnsOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOfOne(character), 0)

/** At most this many narrow characters; an ellipsis replaces the last one if the text is longer. */
export function fittedText(text: string, columns: number): string {
  let room = columns
  let fitted = ''
  const characters = [...text]
  for (const [index, character] of characters.entries()) {
    const width = columnsOfOne(character)
    const isLast = index === characters.length - 1
    if (width > room || (width === room && !isLast)) return `${fitted}…`
    fitted += character
    room -= width
  }
  return fitted
}
