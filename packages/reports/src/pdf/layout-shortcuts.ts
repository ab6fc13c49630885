/**
 * Shortcuts through the library's layout. Each replaces a method by a cheaper one with the same layout for the documents of this
 * package: they name no styles, reserve no room for page numbers and break pages only before headings. The version of the library
 * is pinned, and `layout-shortcuts.unit.test.ts` compares documents made with and without them.
 */
import {
  loadLayoutClasses,
  type Inline,
  type LaidOutNode,
  type LayoutClasses,
  type Line,
  type Square,
  type StyleStack,
  type Vector,
} from './pdfmake.js'

/** A heading below this part of a page moves to the next page. */
const LOWEST_HEADING = 0.88

/** Stored on the library itself: tests load this module several times, but the library once. */
const TAKEN = Symbol.for('cupel.layout-shortcuts')

/** Applies to the whole process; calls after the first one change nothing. */
export function takeLayoutShortcuts(classes: LayoutClasses = loadLayoutClasses()): void {
  if (TAKEN in classes.Renderer) return
  Object.defineProperty(classes.Renderer, TAKEN, { value: true })
  readStylesDirectly(classes)
  readStylesOnce(classes)
  writeLinesAsWhole(classes)
  drawCodesAtOnce(classes)
  breakPagesWhileLayingOut(classes)
}

/** Replaces a method that pushes every word on the stack of styles for each of twenty properties. */
function readStylesDirectly({ StyleContextStack }: LayoutClasses): void {
  StyleContextStack.prototype.getProperty = function (this: StyleStack, name) {
    for (let at = this.styleOverrides.length - 1; at >= 0; at -= 1) {
      const value = this.styleOverrides[at]![name]
      if (value !== undefined && value !== null) return value
    }
    return this.defaultStyle[name]
  }
  StyleContextStack.getStyleProperty = (item, stack, name, otherwise) =>
    item[name] ?? stack?.getProperty(name) ?? otherwise
}

/** The words of one text have the same stack, so it is read once. */
function readStylesOnce({ TextInlines }: LayoutClasses): void {
  const { prototype } = TextInlines
  const { measure } = prototype
  prototype.measure = function (words, stack) {
    const styles: Record<string, unknown> = {}
    return measure.call(this, words, {
      styleOverrides: [],
      defaultStyle: styles,
      getProperty: (name) => (name in styles ? styles[name] : (styles[name] = stack.getProperty(name))),
    })
  }
}

/** Joins words of one style into one text, which a reader also copies as one. */
function writeLinesAsWhole({ Renderer }: LayoutClasses): void {
  const { prototype } = Renderer
  const { renderLine } = prototype
  prototype.renderLine = function (line, x, y) {
    line.inlines = joinedInlines(line)
    renderLine.call(this, line, x, y)
  }
}

function joinedInlines({ inlines }: Line): Inline[] {
  const joined: Inline[] = []
  for (const inline of inlines) {
    const last = joined.at(-1)
    if (last === undefined || !continues(last, inline)) {
      joined.push(inline)
      continue
    }
    last.text += inline.text
    last.width += inline.width
  }
  return joined
}

/** The widest gap between words, in points, that results from rounding. */
const ROUNDING = 1e-6

const continues = (last: Inline, next: Inline): boolean =>
  last.font === next.font &&
  last.fontSize === next.fontSize &&
  last.color === next.color &&
  last.link === next.link &&
  Math.abs(last.x + last.width - next.x) < ROUNDING

/** The library draws each of some thousand dark squares separately. */
function drawCodesAtOnce({ qrEncoder, Renderer }: LayoutClasses): void {
  const { measure } = qrEncoder
  qrEncoder.measure = (node) => {
    const measured = measure(node)
    const [ground, ...squares] = measured._canvas as Square[]
    const dark: Vector = { type: 'squares', x: 0, y: 0, squares: joinedSquares(squares) }
    measured._canvas = [ground!, dark]
    return measured
  }
  const { prototype } = Renderer
  const { renderVector } = prototype
  prototype.renderVector = function (vector) {
    if (!('squares' in vector)) return renderVector.call(this, vector)
    for (const { x, y, w, h } of vector.squares) this.pdfDocument.rect(vector.x + x, vector.y + y, w, h)
    this.pdfDocument.fill('#000000')
  }
}

/** Squares are ordered by line, then from left to right. */
function joinedSquares(squares: readonly Square[]): readonly Square[] {
  const joined: { x: number; y: number; w: number; h: number }[] = []
  for (const { x, y, w, h } of squares) {
    const last = joined.at(-1)
    if (last?.y === y && last.x + last.w === x) last.w += w
    else joined.push({ x, y, w, h })
  }
  return joined
}

/** The library repeats the layout of the whole document after each break that a function requests. */
function breakPagesWhileLayingOut({ LayoutBuilder }: LayoutClasses): void {
  const { prototype } = LayoutBuilder
  const { processNode } = prototype
  prototype.processNode = function (node: LaidOutNode, ...rest) {
    if (node.headlineLevel !== undefined && node.pageBreak === undefined) {
      const context = this.writer.context()
      const { pageSize, pageMargins } = context.getCurrentPage()
      const height = pageSize.height - pageMargins.top - pageMargins.bottom
      if ((context.y - pageMargins.top) / height > LOWEST_HEADING) node.pageBreak = 'before'
    }
    return processNode.call(this, node, ...rest)
  }
}
