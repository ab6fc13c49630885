/** The reports of one address over time: its score as a line, and in words what changed from each report to the next. */
import type { Report } from '@cupel/contracts'
import {
  compareReports,
  en,
  nameOf,
  pointsBetween,
  scoreText,
  type ReportComparison,
} from '../../document/index.js'
import { causeText, type ReportChange } from '../compare/report-change.js'
import { Level, Moment } from '@cupel/console'

const WIDTH = 640
const HEIGHT = 146
const MARGIN = { left: 34, right: 14, top: 10, bottom: 26 }
const FULL_SCORE = 100
/** Items of evidence that are named for each change. */
const MAX_CAUSES = 3

interface ScoreLineProps {
  /** Newest first. Only those of the newest one's chain are drawn. */
  readonly reports: readonly Report[]
  /** The causes of changes, by the id of their later report. */
  readonly explained: ReadonlyMap<string, ReportChange | null>
}

const ofOneChain = (reports: readonly Report[]): readonly Report[] =>
  reports.filter(({ chain }) => chain === reports[0]?.chain).toSorted(inOrder)

/** The changes of level or points from one of these reports to the next, newest first. */
export function scoreChanges(
  reports: readonly Report[],
): readonly (readonly [before: Report, after: Report])[] {
  const ofChain = ofOneChain(reports)
  return ofChain
    .slice(1)
    .map((after, index) => [ofChain[index]!, after] as const)
    .filter(([{ risk: a }, { risk: b }]) => a.score !== b.score || a.level !== b.level)
    .toReversed()
}

export function ScoreLine({ reports, explained }: ScoreLineProps) {
  const ofChain = ofOneChain(reports)
  if (ofChain.length < 2) return null
  const changes = ofChain.slice(1).flatMap((report, index) => changeOf(ofChain[index]!, report))
  return (
    <section aria-labelledby="over-time">
      <h2 id="over-time">The score over time</h2>
      <Picture reports={ofChain} />
      {changes.length === 0 ? (
        <p class="quiet">Nothing changed from one of these reports to the next.</p>
      ) : (
        <ol class="score-changes" reversed>
          {changes.toReversed().map((change) => (
            <Change
              key={change.comparison.after.report_id}
              {...change}
              cause={causeOf(explained, change.comparison.after)}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

/** As a comparison orders two reports. */
const inOrder = (one: Report, other: Report): number => (placeOf(one) < placeOf(other) ? -1 : 1)
const placeOf = ({ generated_at, report_id }: Report): string => `${generated_at} ${report_id}`

/** Empty for a change whose cause was not asked for. */
const causeOf = (explained: ScoreLineProps['explained'], { report_id: id }: Report): string =>
  explained.has(id) ? causeText(explained.get(id)!) : ''

interface ShownChange {
  readonly comparison: ReportComparison
  readonly causes: readonly string[]
}

/** Nothing for reports that say the same. */
function changeOf(before: Report, after: Report): readonly ShownChange[] {
  const comparison = compareReports(before, after)
  if (comparison.summary[0] === en.comparison.summary.same) return []
  const evidence = comparison.evidence.map(({ headline, before: was, after: now }) =>
    was === null
      ? `New: ${headline} (${now ?? ''})`
      : now === null
        ? `Gone: ${headline} (${was})`
        : `${headline}: ${was}, then ${now}`,
  )
  const unknown = comparison.limits.added.map(({ text }) => `Newly unknown: ${text}`)
  const learned = comparison.limits.gone.map(({ text }) => `Learned, no longer so: ${text}`)
  const more = evidence.length - MAX_CAUSES
  return [
    {
      comparison,
      causes: [
        ...evidence.slice(0, MAX_CAUSES),
        ...(more > 0 ? [`And ${more} more ${more === 1 ? 'change' : 'changes'} of evidence.`] : []),
        ...unknown,
        ...learned,
        ...comparison.lists.map(({ label, before: was, after: now }) => `List ${label}: ${was}, then ${now}`),
      ],
    },
  ]
}

function Change({
  comparison: { before, after, summary },
  causes,
  cause,
}: ShownChange & { readonly cause: string }) {
  const points = pointsBetween(scoreText(before.risk), scoreText(after.risk))
  return (
    <li>
      <p>
        <Level level={before.risk.level} score={before.risk.score} />
        {' → '}
        <Level level={after.risk.level} score={after.risk.score} />{' '}
        <a href={`/compare?report=${before.report_id}&report=${after.report_id}`}>
          <Moment at={after.generated_at} />
        </a>{' '}
        {points === '' ? null : `${points} points`}
      </p>
      {cause === '' ? null : <p class="score-cause">{cause}</p>}
      <ul>
        {(causes.length === 0 ? summary : causes).map((cause) => (
          <li key={cause} dir="auto">
            {cause}
          </li>
        ))}
      </ul>
    </li>
  )
}

function Picture({ reports }: { readonly reports: readonly Report[] }) {
  const xOf = (index: number): number =>
    MARGIN.left + (index * (WIDTH - MARGIN.left - MARGIN.right)) / (reports.length - 1)
  const yOf = (score: number): number =>
    HEIGHT - MARGIN.bottom - (score * (HEIGHT - MARGIN.top - MARGIN.bottom)) / FULL_SCORE
  const hasScore = ({ risk }: Report): boolean => scoreText(risk) !== ''
  const pairs = reports.slice(1).flatMap((report, index) => {
    const before = reports[index]!
    return hasScore(before) && hasScore(report) ? [{ before, report, index }] : []
  })
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      class="score-line"
      role="img"
      aria-label={`Scores from the oldest to the newest report: ${reports.map(spoken).join(', ')}`}
    >
      {[0, FULL_SCORE / 2, FULL_SCORE].map((score) => (
        <g>
          <line
            x1={MARGIN.left}
            x2={WIDTH - MARGIN.right}
            y1={yOf(score)}
            y2={yOf(score)}
            class="score-grid"
          />
          <text x={MARGIN.left - 6} y={yOf(score) + 4} text-anchor="end" class="score-axis">
            {score}
          </text>
        </g>
      ))}
      {[reports[0]!, reports.at(-1)!].map((report, end) => (
        <text
          x={end === 0 ? MARGIN.left : WIDTH - MARGIN.right}
          y={HEIGHT - 6}
          text-anchor={end === 0 ? 'start' : 'end'}
          class="score-axis"
        >
          {dayOf(report)}
        </text>
      ))}
      {pairs.map(({ before, report, index }) => (
        <line
          x1={xOf(index)}
          y1={yOf(before.risk.score)}
          x2={xOf(index + 1)}
          y2={yOf(report.risk.score)}
          class="score-step"
        />
      ))}
      {reports.map((report, index) => (
        <text
          x={xOf(index)}
          y={(hasScore(report) ? yOf(report.risk.score) : yOf(FULL_SCORE / 2)) + 5}
          text-anchor="middle"
          class={`score-point score-${report.risk.level}`}
        >
          {signs[report.risk.level] ?? '?'}
        </text>
      ))}
    </svg>
  )
}

const signs: Readonly<Record<string, string>> = { red: '■', orange: '▲', green: '●', grey: '◇' }

const dayOf = ({ generated_at: at }: Report): string => at.slice(0, '2026-01-01'.length)

const spoken = (report: Report): string =>
  `${dayOf(report)} ${nameOf(en.levels, report.risk.level)} ${scoreText(report.risk)}`.trim()
