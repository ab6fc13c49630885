/** A report document as a page, in the order of a reader's questions. */
import type { ComponentChildren } from 'preact'
import type { Bar, Point, ReportDocument, Verdict } from '../document/index.js'
import { FieldList, Level, DataTable } from '@cupel/console'
import { EvidenceItem } from './evidence-item.js'
import { TransferSection } from './transfer-section.js'
import { MoneyFlow } from './money-flow.js'

interface ReportViewProps {
  readonly document: ReportDocument
  /** Where the PDF is; null where it may not be fetched. */
  readonly pdfPath: string | null
  /** Its own path, for links to more; null for a reader who can only read it. */
  readonly path?: string | null
  /** What stands between the verdict and its reasons. */
  readonly children?: ComponentChildren
  /** What stands below the picture of the flow. */
  readonly belowFlow?: ComponentChildren
}

export function ReportView({ document, pdfPath, path = null, children, belowFlow }: ReportViewProps) {
  const { verdict, transfer, bars, unknown, why, flow, facts, provenance } = document
  return (
    <article class="report">
      <VerdictHead verdict={verdict} pdfPath={pdfPath} />
      <TransferSection transfer={transfer} />
      {children}
      <MoneyFlow flow={flow} chain={document.chain} expandPath={path} />
      {belowFlow}
      <Bars bars={bars} />
      <InShort why={why} />
      <Why why={why} />
      <section aria-labelledby="unknown">
        <h2 id="unknown">{unknown.title}</h2>
        <p class="quiet">{unknown.intro}</p>
        <Points points={unknown.points} />
      </section>
      <section aria-labelledby="facts">
        <h2 id="facts">{facts.title}</h2>
        <FieldList fields={facts.fields} />
      </section>
      <section aria-labelledby="provenance">
        <h2 id="provenance">{provenance.title}</h2>
        <FieldList fields={provenance.fields} />
        <h3>{provenance.listsTitle}</h3>
        <DataTable table={provenance.lists} caption={provenance.listsTitle} />
        {provenance.howToCheck.map((line) => (
          <p class="quiet" key={line}>
            {line}
          </p>
        ))}
      </section>
    </article>
  )
}

function VerdictHead({ verdict, pdfPath }: { readonly verdict: Verdict; readonly pdfPath: string | null }) {
  return (
    <section class={`verdict verdict-${verdict.level}`} aria-labelledby="verdict">
      <div class="verdict-top">
        <Level level={verdict.level} score={verdict.score} />
        {pdfPath === null ? null : (
          <a class="button no-print" href={pdfPath} download>
            PDF
          </a>
        )}
      </div>
      <h1 id="verdict">{verdict.headline}</h1>
      <p>{verdict.meaning}</p>
      <p>
        <strong>{verdict.action.label}:</strong> {verdict.action.value}
      </p>
      {verdict.cautions.map((caution) => (
        <p class="caution" key={caution}>
          <span class="sign" aria-hidden="true">
            !
          </span>{' '}
          {caution}
        </p>
      ))}
      <FieldList fields={verdict.subject} />
    </section>
  )
}

const FULL_POINTS = 100

function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  return (
    <section class="bars" aria-label="Points by category">
      {bars.map(({ category, label, points, text, isRisk }) => (
        <div class="bar" key={category}>
          <span class="bar-label">{label}</span>
          <meter
            class={isRisk ? 'risk' : 'positive'}
            min={0}
            max={FULL_POINTS}
            value={points}
            aria-label={`${label}: ${Number.isNaN(Number(text)) ? 'no points known' : `${text} of ${FULL_POINTS}`}`}
          />
          <span class="bar-points">{text}</span>
        </div>
      ))}
    </section>
  )
}

function Points({ points }: { readonly points: readonly Point[] }) {
  return (
    <ul class="points">
      {points.map(({ code, text }) => (
        <li key={`${code} ${text}`}>
          {text} <code class="quiet">{code}</code>
        </li>
      ))}
    </ul>
  )
}

function InShort({ why }: { readonly why: ReportDocument['why'] }) {
  if (why.summary.length === 0) return null
  return (
    <section aria-labelledby="in-short">
      <h2 id="in-short">{why.summaryTitle}</h2>
      <ul class="summary">
        {why.summary.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  )
}

function Why({ why }: { readonly why: ReportDocument['why'] }) {
  return (
    <section aria-labelledby="why">
      <h2 id="why">{why.title}</h2>
      <p class="quiet">{why.intro}</p>
      {why.counted.map((item, index) => (
        <EvidenceItem key={index} item={item} isOpen={index === 0 || item.isDecisive} />
      ))}
      {why.omitted === null ? null : <p>{why.omitted}</p>}
      {why.notCounted.length === 0 ? null : (
        <>
          <h3>{why.notCountedTitle}</h3>
          {why.notCounted.map((item, index) => (
            <EvidenceItem key={index} item={item} isOpen={false} />
          ))}
        </>
      )}
    </section>
  )
}
