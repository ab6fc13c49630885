/**
 * The layout of the flow picture, shared by page and PDF: sources on the left, the screened address in the middle, destinations on the
 * right, each with a line to the middle. The same picture gives the same layout.
 */
import type { FlowNode, FlowPicture } from './document.js'

export interface FlowBox {
  readonly node: FlowNode
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** From left to right. */
export interface FlowLine {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly category: string
  /** Drawn with gaps. */
  readonly isIndirect: boolean
}

/** Points; a page may scale it. */
export interface FlowDrawing {
  readonly width: number
  readonly height: number
  readonly boxes: readonly FlowBox[]
  readonly lines: readonly FlowLine[]
}

export const FLOW_DRAWING_WIDTH = 503.28
const NODE_WIDTH = 158
const NODE_HEIGHT = 30
const ROW_HEIGHT = 36
const SUBJECT_WIDTH = 116

export function flowDrawing({ nodes }: FlowPicture): FlowDrawing {
  const onSide = (side: FlowNode['side']): readonly FlowNode[] => nodes.filter((node) => node.side === side)
  const [left, right] = [onSide('in'), onSide('out')]
  const height = Math.max(left.length, right.length, 1) * ROW_HEIGHT
  const column = (ofSide: readonly FlowNode[], x: number, width: number): readonly FlowBox[] =>
    ofSide.map((node, index) => ({
      ...{ node, x, width, height: NODE_HEIGHT },
      y: (height - ofSide.length * ROW_HEIGHT) / 2 + index * ROW_HEIGHT,
    }))
  const subject = column(onSide('subject'), (FLOW_DRAWING_WIDTH - SUBJECT_WIDTH) / 2, SUBJECT_WIDTH)
  const boxes = [
    ...column(left, 0, NODE_WIDTH),
    ...subject,
    ...column(right, FLOW_DRAWING_WIDTH - NODE_WIDTH, NODE_WIDTH),
  ]
  return {
    width: FLOW_DRAWING_WIDTH,
    height,
    boxes,
    lines: boxes.flatMap((box) => (box.node.side === 'subject' ? [] : [lineOf(box, subject[0]!)])),
  }
}

function lineOf(box: FlowBox, subject: FlowBox): FlowLine {
  const [from, to] = box.node.side === 'in' ? [box, subject] : [subject, box]
  const middleOf = ({ y, height }: FlowBox): number => y + height / 2
  return {
    ...{ x1: from.x + from.width, y1: middleOf(from), x2: to.x, y2: middleOf(to) },
    category: box.node.category,
    isIndirect: box.node.isIndirect,
  }
}

/** Characters that take the width of two. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff00-\uff60\p{Emoji_Presentation}]/u

/** At most this many narrow characters; an ellipsis replaces the last one if the text is longer. */
export function fittedText(text: string, columns: number): string {
  let room = columns
  let fitted = ''
  const characters = [...text]
  for (const [index, character] of characters.entries()) {
    const width = WIDE.test(character) ? 2 : 1
    const isLast = index === characters.length - 1
    if (width > room || (width === room && !isLast)) return `${fitted}…`
    fitted += character
    room -= width
  }
  return fitted
}
