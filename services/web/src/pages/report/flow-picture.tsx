/**
 * The picture of the flow as SVG: real text, and colours by class, so that light, dark and print have their own. The table below it
 * says the same, so a reader who cannot see the picture misses nothing.
 */
import { flowDrawing, type FlowBox, type FlowLine, type FlowPicture as Picture } from '@cupel/report-document'

const TEXT_X = 6
const TITLE_Y = 13
const DETAIL_Y = 23

export function FlowPicture({ picture, label }: { readonly picture: Picture; readonly label: string }) {
  const { width, height, boxes, lines } = flowDrawing(picture)
  return (
    <div class="flow-picture">
      <svg viewBox={`-1 -1 ${width + 2} ${height + 2}`} role="img" aria-label={label}>
        {lines.map((line) => (
          <Line line={line} />
        ))}
        {boxes.map((box) => (
          <Box box={box} />
        ))}
      </svg>
    </div>
  )
}

function Line({ line: { category, isIndirect, ...ends } }: { readonly line: FlowLine }) {
  return (
    <line
      {...ends}
      class={`flow-line ${classOf(category)}`}
      stroke-dasharray={isIndirect ? '3 2' : undefined}
    />
  )
}

/** The inner drawing cuts off text that is too wide for a node. */
function Box({ box: { node, x, y, width, height } }: { readonly box: FlowBox }) {
  const side = node.side === 'subject' ? 'flow-subject' : classOf(node.category)
  return (
    <g>
      <rect {...{ x, y, width, height }} rx={3} class={`flow-node ${side}`} />
      <svg {...{ x, y, width: width - TEXT_X / 2, height }}>
        <text x={TEXT_X} y={TITLE_Y} class="flow-title">
          {node.title}
        </text>
        <text x={TEXT_X} y={DETAIL_Y} class="flow-detail">
          {node.detail}
        </text>
      </svg>
    </g>
  )
}

const known: readonly string[] = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen', 'clean_exchange']

/** A category of a later version has the colour of unknown categories. */
const classOf = (category: string): string =>
  known.includes(category) ? `flow-${category.replace('_', '-')}` : 'flow-other'
