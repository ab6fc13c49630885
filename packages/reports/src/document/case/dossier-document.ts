/** The dossier of a case in words: its subject, what each report says, what people decided, and what proves it. */
import type { RecordedLeaf, Report, ReportCase } from '@cupel/contracts'
import type { Field, Table } from '../document.js'
import { codeField } from '../findings.js'
import { reportDocument } from '../report-document.js'
import { en } from '../strings.en.js'
import { dateText, nameOf, safeLink, shortened, visibleText } from '../writing.js'
import { caseDocument, dispositionText, personText, type CaseDocument } from './case-document.js'
import { caseEn, dossierEn as words } from './strings.en.js'

/** A report of the subject, with what is known of it. */
export interface DossierReport {
  readonly report: Report
  /** Null if it is not in the log yet, or if the installation has none. */
  readonly leaf: RecordedLeaf | null
  /** Null if nobody has worked on it. */
  readonly case: ReportCase | null
}

/** What a dossier is made of. */
export interface DossierText {
  readonly case: ReportCase
  /** The report of the case first, then others, newest first. */
  readonly reports: readonly DossierReport[]
  /** False if older reports were left out. */
  readonly is_whole: boolean
}

export interface DossierSection {
  readonly title: string
  readonly headline: string
  readonly fields: readonly Field[]
  readonly reasons: readonly string[]
  readonly unknown: readonly string[]
  /** Of the other reports; those of the case itself are in its history. */
  readonly decisions: readonly string[]
}

export interface DossierDocument {
  readonly title: string
  readonly language: string
  /** RFC 3339: when the newest part of it was made. */
  readonly at: string
  readonly intro: string
  readonly subject: readonly Field[]
  readonly case: CaseDocument
  readonly reportsIntro: string
  readonly reports: readonly DossierSection[]
  /** Null if no file is attached. */
  readonly files: Table | null
}

/** Reasons, and decisions, that are shown of one report. */
const MAX_SHOWN = 15
const MAX_REASON_LENGTH = 400

export function dossierDocument({ case: reportCase, reports, is_whole }: DossierText): DossierDocument {
  const [own] = reports
  const times = [
    ...reports.map(({ report }) => report.generated_at),
    ...reportCase.history.map(({ at }) => at),
  ]
  return {
    title: words.title(visibleText(reportCase.address)),
    language: en.language,
    at: times.sort().at(-1)!,
    intro: words.intro,
    subject: [
      codeField(words.address, reportCase.address),
      { label: words.chain, value: visibleText(reportCase.chain) },
      { label: words.reference, value: visibleText(own?.report.customer_reference ?? words.noReference) },
      codeField(words.caseOf, reportCase.report_id),
    ],
    case: caseDocument(reportCase),
    reportsIntro: words.reportsIntro(is_whole),
    reports: reports.map((one) => sectionOf(one, reportCase)),
    files: filesOf(reportCase),
  }
}

function sectionOf({ report, leaf, case: ownCase }: DossierReport, reportCase: ReportCase): DossierSection {
  const { verdict, why, unknown, generatedAt } = reportDocument(report, leaf)
  const isOwn = report.report_id === reportCase.report_id
  const proof =
    leaf === null
      ? [{ label: words.proof, value: words.noProof }]
      : [codeField(words.proof, leaf.hash), codeField(words.log, leaf.log)]
  const decisions =
    isOwn || ownCase === null
      ? []
      : caseDocument(ownCase)
          .entries.filter((_, at) => ownCase.history[at]!.disposition !== null)
          .map(({ what, lines }) => shortened(`${what}: ${lines.join(' ')}`, MAX_REASON_LENGTH))
  return {
    title: words.report(verdict.levelWord, dateText(generatedAt)),
    headline: verdict.headline,
    fields: [
      linked(codeField(words.reportId, report.report_id), report.report_url),
      isOwn
        ? { label: words.own, value: '' }
        : { label: words.address, value: `${visibleText(report.address)} (${visibleText(report.chain)})` },
      {
        label: words.policy,
        value: visibleText(`${report.policy.id} ${report.policy.version}, ${report.scorer_version}`),
      },
      {
        label: words.disposition,
        value: dispositionText((isOwn ? reportCase : ownCase)?.disposition ?? null),
      },
      ...proof,
    ].filter(({ value }) => value !== ''),
    reasons: bounded(why.summary, words.moreReasons),
    unknown: bounded(
      unknown.points.map(({ text }) => text),
      words.moreReasons,
    ),
    decisions: bounded(decisions, words.moreDecisions),
  }
}

function linked(field: Field, url: string): Field {
  const href = safeLink(url)
  return href === undefined ? field : { ...field, href }
}

function bounded(texts: readonly string[], more: (number: number) => string): readonly string[] {
  const rest = texts.length - MAX_SHOWN
  return [...texts.slice(0, MAX_SHOWN), ...(rest > 0 ? [more(rest)] : [])]
}

function filesOf({ history }: ReportCase): Table | null {
  const rows = history.flatMap(({ version, at, by, file }) =>
    file === undefined
      ? []
      : [
          [
            ...[String(version), visibleText(file.name), nameOf(caseEn.types, file.media_type)],
            ...[String(file.bytes), visibleText(file.sha256), personText(by), dateText(at)],
          ],
        ],
  )
  return rows.length === 0 ? null : { head: words.fileHead, rows }
}
