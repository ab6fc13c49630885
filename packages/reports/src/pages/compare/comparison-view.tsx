/** A comparison as a page: the changes first, then every fact side by side. */
import {
  type ComparedEvidence,
  type ComparedFact,
  type ReportComparison,
  type Verdict,
  visibleText,
} from '../../document/index.js'
import { Level, Moment, ScrollTable } from '@cupel/console'
import { PARTS, pointsText } from './split-text.js'
import { causeText, type ReportChange } from './report-change.js'

interface ComparisonViewProps {
  readonly comparison: ReportComparison
  /** Of the earlier and of the later report. */
  readonly verdicts: readonly [Verdict, Verdict]
  /** The points by cause; null where the API does not say. */
  readonly change: ReportChange | null
}

export function ComparisonView({ comparison, verdicts, change }: ComparisonViewProps) {
  const { before, after, summary, verdict, evidence, sameEvidence, limits, state, lists } = comparison
  return (
    <article class="comparison">
      <h1>What changed between two reports</h1>
      <p>
        <code>{visibleText(after.address)}</code> <span class="tag">{visibleText(after.chain)}</span>
      </p>
      <ul class="summary">
        {summary.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <div class="sides">
        <Side title="Earlier report" verdict={verdicts[0]} id={before.report_id} at={before.generated_at} />
        <Side title="Later report" verdict={verdicts[1]} id={after.report_id} at={after.generated_at} />
      </div>
      <section aria-labelledby="points">
        <h2 id="points">Level and points</h2>
        <Facts facts={verdict} caption="Level and points" />
      </section>
      <Causes change={change} />
      <section aria-labelledby="evidence">
        <h2 id="evidence">Evidence</h2>
        {evidence.length === 0 ? null : <Evidence items={evidence} />}
        <p class="quiet">
          {sameEvidence === 0
            ? 'No item of evidence is the same in both.'
            : `${sameEvidence} ${sameEvidence === 1 ? 'item is' : 'items are'} the same in both.`}
        </p>
      </section>
      {limits.gone.length + limits.added.length === 0 ? null : (
        <section aria-labelledby="limits">
          <h2 id="limits">What is not known</h2>
          <ul class="limits">
            {limits.added.map(({ text }) => (
              <li key={text}>
                <strong>Newly unknown:</strong> {text}
              </li>
            ))}
            {limits.gone.map(({ text }) => (
              <li key={text}>
                <strong>Learned, no longer so:</strong> {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {lists.length === 0 ? null : (
        <section aria-labelledby="lists">
          <h2 id="lists">Lists that differ</h2>
          <Facts facts={lists} caption="Lists that differ" />
        </section>
      )}
      <section aria-labelledby="state">
        <h2 id="state">State and provenance</h2>
        <Facts facts={state} caption="State and provenance" />
      </section>
    </article>
  )
}

/** The points of each part add up to the difference exactly. */
function Causes({ change }: Pick<ComparisonViewProps, 'change'>) {
  return (
    <section aria-labelledby="causes">
      <h2 id="causes">Points by cause</h2>
      <p>{causeText(change)}</p>
      {change === null || change.parts.length === 0 ? null : (
        <ScrollTable
          caption="Points by cause"
          class="compared"
          head={['Part', { number: 'Points' }, { number: 'Alone' }]}
        >
          {change.parts.map(({ part, differs, added, alone }) => (
            <tr key={part} class={differs ? 'changed' : undefined}>
              <th scope="row">{PARTS.find(([code]) => code === part)?.[1] ?? visibleText(part)}</th>
              <td class="number">{differs ? pointsText(added) : 'unchanged'}</td>
              <td class="number">{differs ? pointsText(alone) : '–'}</td>
            </tr>
          ))}
        </ScrollTable>
      )}
      {change?.funds_include_labels === true ? (
        <p class="quiet">
          Labels and ledger both changed, and the exposure with them. It counts as funds, although labels of
          counterparties may have changed it.
        </p>
      ) : null}
    </section>
  )
}

interface SideProps {
  readonly title: string
  readonly verdict: Verdict
  readonly id: string
  readonly at: string
}

function Side({ title, verdict, id, at }: SideProps) {
  return (
    <section class={`verdict verdict-${verdict.level}`} aria-label={title}>
      <p class="quiet">
        {title}, <Moment at={at} />
      </p>
      <p>
        <Level level={verdict.level} score={verdict.score} />
      </p>
      <p dir="auto">{verdict.headline}</p>
      <a href={`/reports/${id}`}>
        Report <code>{id}</code>
      </a>
    </section>
  )
}

function Facts({ facts, caption }: { readonly facts: readonly ComparedFact[]; readonly caption: string }) {
  return (
    <ScrollTable caption={caption} class="compared" head={['', 'Earlier', 'Later', 'Change']}>
      {facts.map(({ label, before, after, isChanged, difference }) => (
        <tr key={label} class={isChanged ? 'changed' : undefined}>
          <th scope="row" dir="auto">
            {label}
          </th>
          <td dir="auto">{before}</td>
          <td dir="auto">{after}</td>
          <td>
            {isChanged ? (
              <span class="tag">{difference === '' ? 'changed' : `${difference} points`}</span>
            ) : (
              <span class="quiet">same</span>
            )}
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function Evidence({ items }: { readonly items: readonly ComparedEvidence[] }) {
  return (
    <ScrollTable
      caption="Evidence that differs"
      class="compared"
      head={['Change', 'Evidence', 'Earlier', 'Later']}
    >
      {items.map(({ headline, before, after }, index) => (
        <tr key={index}>
          <td>
            <span class="tag">{before === null ? '+ new' : after === null ? '− gone' : '± changed'}</span>
          </td>
          <td dir="auto">{headline}</td>
          <td>{before ?? '–'}</td>
          <td>{after ?? '–'}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}
