/**
 * Puts an ended bulk job into words: how many addresses have each level, which ones to look at first, and which have no report.
 * It counts the results of the reports and decides nothing: the same job gives the same document.
 */
import { problemCodes, type Report } from '@cupel/contracts'
import type { Field, Table } from '../document.js'
import { becauseOf, scoreText } from '../report-document.js'
import { asSentence, codeField } from '../findings.js'
import { en, type Strings } from '../strings.en.js'
import { dateOr, dateText, nameOf, safeLink, shareText, shortened, visibleText, wordsOf } from '../writing.js'

/** An ended job with its results, as the API returns it. */
export interface BulkJobText {
  readonly job_id: string
  /** Absent or null if the job has no name. */
  readonly name?: string | null
  readonly status: string
  readonly livemode: boolean
  readonly created_at: string
  readonly completed_at: string | null
  readonly results_url: string
  readonly results: readonly BulkResult[]
}

interface BulkResult {
  readonly number: number
  readonly address: string
  /** Absent if the item has none. */
  readonly reference?: string
  readonly status: string
  readonly report?: Report
  readonly error?: { readonly code: string; readonly detail: string }
}

/** Addresses with one outcome. */
export interface Slice {
  /** A level, or `failed` or `cancelled`. */
  readonly outcome: string
  readonly word: string
  readonly count: number
}

/** A table whose rows lead to reports. */
export interface LinkedTable extends Table {
  /** One for each row; undefined if the row has no link. */
  readonly links: readonly (string | undefined)[]
}

export interface BulkDocument {
  readonly language: string
  readonly title: string
  readonly headline: string
  readonly cautions: readonly string[]
  /** RFC 3339, UTC. */
  readonly endedAt: string
  readonly fields: readonly Field[]
  /** Worst first; outcomes that no address has are left out. */
  readonly levels: {
    readonly title: string
    readonly intro: string
    readonly slices: readonly Slice[]
    readonly table: Table
  }
  readonly worst: {
    readonly title: string
    readonly intro: string
    readonly table: LinkedTable | null
    readonly more: string | null
  }
  readonly grey: { readonly title: string; readonly intro: string; readonly table: Table } | null
  readonly failures: {
    readonly title: string
    readonly reasons: Table
    readonly items: Table
    readonly more: string | null
  } | null
  readonly provenance: {
    readonly title: string
    readonly fields: readonly Field[]
    readonly howToCheck: readonly string[]
  }
  /** The results without the evidence of their reports, as JSON. */
  readonly results: string
}

/** Row limit of the summary; the attached results contain all rows. */
export const MAX_SUMMARY_ROWS = 50
/** In the order in which a person looks at them. Levels that this document does not know come before green. */
const LEVEL_ORDER: readonly string[] = ['red', 'orange', 'grey']
const MAX_REASON_LENGTH = 160
const MAX_FACTS = 3

export function bulkDocument(job: BulkJobText, strings: Strings = en): BulkDocument {
  const { bulk } = strings
  const reports = job.results.flatMap(({ report }) => (report === undefined ? [] : [report]))
  const slices = slicesOf(job.results, strings)
  return {
    language: strings.language,
    title: bulk.title(visibleText(job.job_id)),
    headline: bulk.headline(
      job.results.length,
      slices.map(({ count, word }) => bulk.part(count, word)),
    ),
    cautions: cautionsOf(job, reports, strings),
    endedAt: job.completed_at ?? job.created_at,
    fields: jobFields(job, strings),
    levels: {
      title: bulk.levels.title,
      intro: bulk.levels.intro,
      slices,
      table: levelTable(slices, strings),
    },
    worst: worstOf(job.results, strings),
    grey: greyReasons(reports, strings),
    failures: failuresOf(job.results, strings),
    provenance: {
      title: bulk.provenance.title,
      fields: provenanceFields(reports, strings),
      howToCheck: bulk.provenance.howToCheck,
    },
    results: resultsText(job),
  }
}

const outcomeOf = ({ report, status }: BulkResult): string => report?.risk.level ?? status

/** Red first, green after all unknown levels, then addresses without a report. */
function rankOf(outcome: string): number {
  const rank = LEVEL_ORDER.indexOf(outcome)
  if (rank !== -1) return rank
  const last = ['green', 'failed', 'cancelled'].indexOf(outcome)
  return LEVEL_ORDER.length + 1 + last
}

function slicesOf(results: readonly BulkResult[], strings: Strings): readonly Slice[] {
  const words = { ...strings.levels, ...strings.bulk.outcomes }
  return countedBy(results.map(outcomeOf))
    .map(([outcome, count]) => ({ outcome, word: nameOf(words, outcome), count }))
    .sort((a, b) => rankOf(a.outcome) - rankOf(b.outcome))
}

/** Each text with its number of occurrences, the most frequent first, equal ones in the order of their first occurrence. */
function countedBy(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

function levelTable(slices: readonly Slice[], strings: Strings): Table {
  const all = slices.reduce((sum, { count }) => sum + count, 0)
  return {
    head: strings.bulk.levels.head,
    rows: slices.map(({ word, count }) => [word, String(count), shareText(count / all, strings)]),
  }
}

function cautionsOf(job: BulkJobText, reports: readonly Report[], strings: Strings): readonly string[] {
  const { cautions } = strings.bulk
  const countOf = (status: string): number => job.results.filter((one) => one.status === status).length
  const [failed, cancelled] = [countOf('failed'), countOf('cancelled')]
  const lowerBounds = reports.filter(({ risk }) => risk.score_is_lower_bound).length
  return [
    ...(job.livemode ? [] : [strings.cautions.sandbox]),
    ...(reports.length === 0 ? [cautions.nothing] : []),
    ...(failed > 0 ? [cautions.failed(failed)] : []),
    ...(cancelled > 0 ? [cautions.cancelled(cancelled)] : []),
    ...(lowerBounds > 0 ? [cautions.lowerBounds(lowerBounds)] : []),
  ]
}

function jobFields(job: BulkJobText, strings: Strings): readonly Field[] {
  const { fields, statuses } = strings.bulk
  const href = safeLink(job.results_url)
  const results = { label: fields.results, value: visibleText(job.results_url) }
  const name = job.name ? [{ label: fields.name, value: visibleText(job.name) }] : []
  return [
    ...name,
    codeField(fields.jobId, job.job_id),
    { label: fields.status, value: nameOf(statuses, job.status) },
    { label: fields.submitted, value: dateText(job.created_at) },
    { label: fields.ended, value: dateOr(job.completed_at, strings.notKnown) },
    href === undefined ? results : { ...results, href },
  ]
}

const numberOf = ({ number }: BulkResult): string => String(number)

/** Below the address: most jobs have no references, and a column of their own would narrow the others. */
function referenceOf({ reference }: BulkResult, strings: Strings): string {
  return reference === undefined ? '' : `\n${strings.bulk.reference(visibleText(reference))}`
}

function worstOf(results: readonly BulkResult[], strings: Strings): BulkDocument['worst'] {
  const { worst } = strings.bulk
  const flagged = results
    .flatMap((result) => (result.report === undefined ? [] : [{ result, report: result.report }]))
    .filter(({ report }) => report.risk.level !== 'green')
    .sort(
      (a, b) =>
        rankOf(a.report.risk.level) - rankOf(b.report.risk.level) ||
        b.report.risk.score - a.report.risk.score ||
        a.result.number - b.result.number,
    )
  const shown = flagged.slice(0, MAX_SUMMARY_ROWS)
  const rows = shown.map(({ result, report }) => [
    numberOf(result),
    visibleText(result.address) + referenceOf(result, strings),
    visibleText(report.chain),
    nameOf(strings.levels, report.risk.level),
    scoreText(report.risk),
    shortened(asSentence(becauseOf(report, strings)), MAX_REASON_LENGTH),
    visibleText(report.report_id),
  ])
  const hasReports = results.some(({ report }) => report !== undefined)
  return {
    title: worst.title,
    intro: flagged.length > 0 ? worst.intro : hasReports ? worst.nothing : strings.bulk.cautions.nothing,
    table:
      rows.length === 0
        ? null
        : { head: worst.head, rows, links: shown.map(({ report }) => safeLink(report.report_url)) },
    more: flagged.length > shown.length ? worst.more(flagged.length - shown.length) : null,
  }
}

function greyReasons(reports: readonly Report[], strings: Strings): BulkDocument['grey'] {
  const { title, intro, head } = strings.bulk.grey
  const reasons = reports
    .filter(({ risk }) => risk.level === 'grey')
    .flatMap(({ risk }) => risk.level_reasons)
  const rows = countedBy(reasons).map(([reason, count]) => [
    wordsOf(strings.levelReasons, reason, strings),
    String(count),
  ])
  return rows.length === 0 ? null : { title, intro, table: { head, rows } }
}

function failuresOf(results: readonly BulkResult[], strings: Strings): BulkDocument['failures'] {
  const { failures } = strings.bulk
  const failed = results.flatMap((result) =>
    result.error === undefined ? [] : [{ result, ...result.error }],
  )
  if (failed.length === 0) return null
  const reasons = countedBy(failed.map(({ code }) => code)).map(([code, count]) => [
    failureWord(code),
    String(count),
    failed
      .filter((one) => one.code === code)
      .slice(0, MAX_FACTS)
      .map(({ result }) => numberOf(result))
      .join(', ') + (count > MAX_FACTS ? ', …' : ''),
  ])
  const shown = failed.slice(0, MAX_SUMMARY_ROWS)
  return {
    title: failures.title,
    reasons: { head: failures.head, rows: reasons },
    items: {
      head: failures.itemHead,
      rows: shown.map(({ result, detail }) => [
        numberOf(result),
        shortened(visibleText(result.address), MAX_REASON_LENGTH) + referenceOf(result, strings),
        shortened(visibleText(detail), MAX_REASON_LENGTH),
      ]),
    },
    more: failed.length > shown.length ? failures.more(failed.length - shown.length) : null,
  }
}

const failureWord = (code: string): string =>
  Object.hasOwn(problemCodes, code)
    ? problemCodes[code as keyof typeof problemCodes].title
    : visibleText(code)

function provenanceFields(reports: readonly Report[], strings: Strings): readonly Field[] {
  const { provenance } = strings.bulk
  if (reports.length === 0) return []
  const times = reports.map(({ generated_at }) => generated_at).sort()
  const listed = (texts: readonly string[]): string => {
    const distinct = countedBy(texts).map(([text]) => visibleText(text))
    const rest = distinct.length - MAX_FACTS
    return [...distinct.slice(0, MAX_FACTS), ...(rest > 0 ? [provenance.others(rest)] : [])].join('; ')
  }
  return [
    {
      label: provenance.decided,
      value: provenance.between(dateText(times[0]!), dateText(times.at(-1)!)),
    },
    {
      label: provenance.policies,
      value: listed(reports.map(({ policy }) => strings.provenance.policyText(policy.id, policy.version))),
    },
    { label: provenance.scorers, value: listed(reports.map(({ scorer_version }) => scorer_version)) },
    { label: provenance.labels, value: listed(reports.map(({ label_snapshot }) => label_snapshot)) },
  ]
}

function resultsText({ results, ...job }: BulkJobText): string {
  const rows = results.map(({ number, address, reference, status, report, error }) => ({
    ...{ number, address, reference, status },
    ...(report === undefined
      ? {}
      : {
          report_id: report.report_id,
          chain: report.chain,
          level: report.risk.level,
          score: report.risk.score,
          report_url: report.report_url,
        }),
    ...(error === undefined ? {} : { error }),
  }))
  return JSON.stringify({ ...job, results: rows })
}
