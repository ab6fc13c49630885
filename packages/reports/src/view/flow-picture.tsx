/**
 * The picture of the flow as SVG: real text, and colours by class, so that light, dark and print have their own. Every node is a link to its
 * entry in the list below, which says the same in words. One drawing is for wide screens and paper, one for narrow screens.
 */
import {
  columnsOf,
  flowColumn,
  flowDrawing,
  type FlowBox,
  type FlowDrawing,
  type FlowLine,
  type FlowPicture as Picture,
} from '../document/index.js'

interface FlowPictureProps {
  readonly picture: Picture
  readonly label: string
  /** Of the ids of its entries, if a page has several pictures. */
  readonly prefix: string
}

export function FlowPicture({ picture, label, prefix }: FlowPictureProps) {
  return (
    <div class="flow-picture">
      <Drawing drawing={flowDrawing(picture)} {...{ label, prefix }} class="flow-wide" />
      <Drawing drawing={flowColumn(picture)} {...{ label, prefix }} class="flow-narrow" />
    </div>
  )
}

interface DrawingProps extends Omit<FlowPictureProps, 'picture'> {
  readonly drawing: FlowDrawing
  readonly class: string
}

function Drawing({ drawing, label, prefix, class: classes }: DrawingProps) {
  const { width, height, boxes, lines } = drawing
  return (
    <svg
      viewBox={`-1 -1 ${width + 2} ${rounded(height + 2)}`}
      role="group"
      aria-label={label}
      class={classes}
    >
      {lines.map((line) => (
        <Line line={line} />
      ))}
      {boxes.map((box) => (
        <Node {...{ box, prefix, text: drawing.text }} />
      ))}
    </svg>
  )
}

const rounded = (length: number): number => Number(length.toFixed(2))
const pointsText = (points: FlowLine['points']): string =>
  points.map(({ x, y }) => `${rounded(x)},${rounded(y)}`).join(' ')

/** A line shows its text to a pointer, which also finds it where it is thin; the list below has the same text. */
function Line({ line: { points, arrow, width, category, text, isIndirect } }: { readonly line: FlowLine }) {
  return (
    <g class={classOf(category)} aria-hidden="true">
      <title>{text}</title>
      <polyline points={pointsText(points)} class="flow-reach" />
      <polyline
        points={pointsText(points)}
        class="flow-line"
        stroke-width={rounded(width)}
        stroke-dasharray={isIndirect ? '4 3' : undefined}
      />
      <polygon points={pointsText(arrow)} class="flow-arrow" />
    </g>
  )
}

interface NodeProps {
  readonly box: FlowBox
  readonly prefix: string
  readonly text: FlowDrawing['text']
}

function Node(props: NodeProps) {
  const { node } = props.box
  if (node.side === 'subject') return <Box {...props} />
  // The name begins with the text that is seen, so that it can be spoken to follow the link.
  const spoken = [node.title, ...node.lines].join(' ')
  return (
    <a
      href={`#${props.prefix}${node.id}`}
      aria-label={node.title === node.name ? spoken : `${spoken} ${node.name}`}
    >
      <Box {...props} />
    </a>
  )
}

/** Widths of a narrow character in the widest fonts that browsers have without a choice, in parts of the size of the text. */
const WIDTHS = { title: 0.69, detail: 0.62 } as const

/** A text that would be cut off is smaller: a part of an amount is another amount. */
const fittingSize = (text: string, size: number, width: number, kind: keyof typeof WIDTHS): number =>
  rounded(Math.min(size, width / (columnsOf(text) * WIDTHS[kind])))

/** The inner drawing cuts off what is too wide for a node in spite of that. */
function Box({ box: { node, radius, stroke, isDashed, ...place }, text }: NodeProps) {
  const { x, y, width, height } = place
  const isCode = /^\S{8}…\S{6}$/.test(node.title)
  const side = node.side === 'subject' ? 'flow-subject' : classOf(node.category)
  const room = width - 2 - text.x
  return (
    <g>
      <rect
        {...{ x: rounded(x), y: rounded(y), width: rounded(width), height: rounded(height) }}
        rx={radius}
        class={`flow-node ${side}`}
        stroke-width={stroke}
        stroke-dasharray={isDashed ? '3 2' : undefined}
      />
      <svg {...{ x: rounded(x), y: rounded(y), width: rounded(width - 2), height: rounded(height) }}>
        <text
          x={text.x}
          y={text.titleY}
          class={isCode ? 'flow-code' : 'flow-title'}
          font-size={isCode ? text.lineSize - 0.5 : fittingSize(node.title, text.titleSize, room, 'title')}
        >
          {node.title}
        </text>{' '}
        {node.lines.map((line, index) => (
          <text
            x={text.x}
            y={text.titleY + (index + 1) * text.leading}
            class="flow-detail"
            font-size={fittingSize(line, text.lineSize, room, 'detail')}
          >
            {`${line} `}
          </text>
        ))}
      </svg>
    </g>
  )
}

const known: readonly string[] = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen', 'clean_exchange']

/** A category of a later version has the colour of unknown categories. */
const classOf = (category: string): string =>
  known.includes(category) ? `flow-${category.replace('_', '-')}` : 'flow-other'
