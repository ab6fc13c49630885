/**
 * Puts the statement of an audit into words: the question, the findings with their places, and the author. It counts the entries
 * of the statement and decides nothing: the same statement gives the same document.
 */
import { sha256Hex } from '@cupel/domain'
import type { Field, Table } from '../document.js'
import { codeField } from '../findings.js'
import { dateText, nameOf, shortened, visibleText } from '../writing.js'
import type { AuditStatement, CountedVersion, RecomputeAnswer } from './audit-statement.js'
import { auditEn as words } from './strings.en.js'

export interface AuditDocument {
  readonly language: string
  readonly title: string
  /** RFC 3339, UTC. */
  readonly madeAt: string
  readonly headline: string
  readonly cautions: readonly string[]
  readonly asked: Section<readonly Field[]>
  readonly counts: Section<Table> & { readonly meaning: readonly string[]; readonly fields: readonly Field[] }
  /** The table is null if nothing was found. */
  readonly findings: Section<Table | null> & { readonly none: string; readonly more: readonly string[] }
  /** Null if every partition begins at its first record. */
  readonly fronts: (Section<Table> & { readonly intro: string }) | null
  readonly versions: Section<Table | null>
  readonly read: Section<Table>
  readonly provenance: Section<readonly Field[]>
  readonly howToCheck: readonly string[]
}

interface Section<Body> {
  readonly title: string
  readonly body: Body
}

/** Row limit of the document; the attached statement contains everything that the command listed. */
export const MAX_FINDING_ROWS = 500
/** Maximum number of missing fronts and versions with their own row. */
const MAX_ROWS = 100
const MAX_PATHS = 4
const MAX_REASON_LENGTH = 300
const MAX_PATH_LENGTH = 120

/** `json`: the text of the statement as attached. */
export function auditDocument(statement: AuditStatement, json: string): AuditDocument {
  const { answer, made_at: madeAt } = statement
  return {
    ...{ language: 'en', title: titleOf(statement), madeAt },
    ...{ headline: headlineOf(statement), cautions: cautionsOf(statement) },
    asked: { title: words.asked.title, body: askedFields(statement) },
    counts: {
      ...{ title: words.counts.title, body: countTable(answer), meaning: words.counts.meaning },
      fields: [{ label: words.counts.erased, value: words.counts.erasedText(answer.erased_references) }],
    },
    findings: findingsOf(answer),
    fronts: frontsOf(answer),
    versions: { title: words.versions.title, body: versionTable(answer) },
    read: { title: words.read.title, body: readTable(answer) },
    provenance: { title: words.provenance.title, body: provenanceFields(statement, json) },
    howToCheck: words.howToCheck,
  }
}

/** The title also goes into the metadata of the PDF, which the library writes unchanged: a name of another form is left out. */
const PLAIN_NAME = /^[\w.:-]{1,64}$/
const titleOf = ({ log }: AuditStatement): string => words.title(PLAIN_NAME.test(log) ? log : null)

const countOf = (answer: RecomputeAnswer, status: string): number =>
  Object.values(answer.levels).reduce((sum, counts) => sum + (counts[status] ?? 0), 0)

/** Shows an answer as proven only if the answer itself says so. */
function headlineOf({ answer, asked }: AuditStatement): string {
  const { reports, is_proven, missing_fronts } = answer
  const { headlines } = words
  const levels = words.levelNames(asked.levels)
  if (is_proven) return headlines.proven(reports, levels)
  const [differing, failed] = [countOf(answer, 'differs'), countOf(answer, 'failed')]
  if (differing + failed > 0) return headlines.differs(reports, levels, [differing, failed])
  if (missing_fronts.length > 0) return headlines.notWhole
  if (asked.min_reports !== null && reports < asked.min_reports)
    return headlines.tooFew(reports, asked.min_reports)
  return headlines.empty
}

function cautionsOf({ answer, asked, checks_macs, unsigned_because }: AuditStatement): readonly string[] {
  const { cautions } = words
  return [
    ...(unsigned_because === null ? [] : [cautions.unsigned(visibleText(unsigned_because))]),
    ...(asked.since === null && asked.report_id === null ? [] : [cautions.sinceOrReport]),
    ...(answer.resumed_reports === 0 ? [] : [cautions.resumed(answer.resumed_reports)]),
    ...(checks_macs ? [] : [cautions.withoutMacs]),
  ]
}

function askedFields({ asked, command, installation, log }: AuditStatement): readonly Field[] {
  const { archive, levels, since, report_id, min_reports, expected_log, public_keys_sha256 } = asked
  const label = words.asked
  const range = [
    ...(since === null ? [] : [label.since(dateText(since))]),
    ...(report_id === null ? [] : [label.one(visibleText(report_id))]),
  ]
  return [
    codeField(label.command, `cupel ${command}`),
    installation === null
      ? { label: label.installation, value: label.unknown }
      : codeField(label.installation, installation),
    codeField(label.logName, log),
    {
      label: label.source,
      value: archive === null ? label.log : label.archive(visibleText(archive.place)),
    },
    ...(archive === null ? [] : manifestFields(archive, public_keys_sha256)),
    ...levels.map((level) => ({ label: `Level ${level}`, value: nameOf(words.levels, level) })),
    { label: label.range, value: range.length === 0 ? label.all : range.join(', ') },
    ...(expected_log === null ? [] : [codeField(label.expectedLog, expected_log)]),
    ...(min_reports === null ? [] : [{ label: label.minReports, value: label.atLeast(min_reports) }]),
  ]
}

function manifestFields(
  archive: NonNullable<AuditStatement['asked']['archive']>,
  keysDigest: string | null,
): readonly Field[] {
  const { manifest, manifest_time, manifest_sha256, key_id } = archive
  const label = words.asked
  return [
    {
      label: label.manifest,
      value: label.manifestOf(manifest, dateText(manifest_time), visibleText(key_id)),
    },
    codeField(label.manifestDigest, manifest_sha256),
    keysDigest === null ? { label: label.keys, value: label.homeKeys } : codeField(label.keys, keysDigest),
  ]
}

const STATUSES = ['same', 'differs', 'failed', 'not_derivable', 'nothing_recorded']

const countTable = ({ levels }: RecomputeAnswer): Table => ({
  head: words.counts.head,
  rows: Object.entries(levels).map(([level, counts]) => [
    visibleText(level),
    ...STATUSES.map((status) => words.count(counts[status] ?? 0)),
  ]),
})

function findingsOf({ findings, findings_omitted }: RecomputeAnswer): AuditDocument['findings'] {
  const { title, none, head, statuses, place, more, omitted } = words.findings
  const left = findings.length - MAX_FINDING_ROWS
  const rows = findings
    .slice(0, MAX_FINDING_ROWS)
    .map((finding) => [
      visibleText(finding.report_id),
      visibleText(finding.level),
      nameOf(statuses, finding.status),
      place(visibleText(finding.topic), finding.partition, finding.offset),
      whatOf(finding),
    ])
  return {
    ...{ title, none: findings_omitted === 0 ? none : '', body: rows.length === 0 ? null : { head, rows } },
    more: [...(left > 0 ? [more(left)] : []), ...(findings_omitted === 0 ? [] : [omitted(findings_omitted)])],
  }
}

function whatOf({ paths, reason }: RecomputeAnswer['findings'][number]): string {
  const left = paths.length - MAX_PATHS
  return [
    ...paths.slice(0, MAX_PATHS).map((path) => visibleText(shortened(path, MAX_PATH_LENGTH))),
    ...(left > 0 ? [words.findings.morePaths(left)] : []),
    ...(reason === null ? [] : [visibleText(shortened(reason, MAX_REASON_LENGTH))]),
  ].join(', ')
}

function frontsOf({ missing_fronts: fronts }: RecomputeAnswer): AuditDocument['fronts'] {
  if (fronts.length === 0) return null
  const { title, intro, head } = words.fronts
  const left = fronts.length - MAX_ROWS
  const rows = fronts
    .slice(0, MAX_ROWS)
    .map(({ topic, partition, begins_at }) => [`${visibleText(topic)}/${partition}`, words.count(begins_at)])
  return {
    ...{ title, intro },
    body: { head, rows: left > 0 ? [...rows, [words.findings.more(left), '']] : rows },
  }
}

function versionTable({ scorers, policies }: RecomputeAnswer): Table | null {
  const { head, scorer, policy, others } = words.versions
  const rowsOf = (what: string, versions: readonly CountedVersion[]): string[][] =>
    versions
      .slice(0, MAX_ROWS)
      .map(({ name, reports }) => [what, name === null ? others : visibleText(name), words.count(reports)])
  const rows = [...rowsOf(scorer, scorers), ...rowsOf(policy, policies)]
  return rows.length === 0 ? null : { head, rows }
}

function readTable({ ranges }: RecomputeAnswer): Table {
  const topics = new Map<string, { partitions: number; records: number }>()
  for (const { topic, from, to } of ranges) {
    const { partitions, records } = topics.get(topic) ?? { partitions: 0, records: 0 }
    topics.set(topic, { partitions: partitions + 1, records: records + to - from })
  }
  return {
    head: words.read.head,
    rows: [...topics].map(([topic, { partitions, records }]) => [
      visibleText(topic),
      words.count(partitions),
      words.count(records),
    ]),
  }
}

function provenanceFields(statement: AuditStatement, json: string): readonly Field[] {
  const { made_at, made_by, release, answer, signed_by } = statement
  const label = words.provenance
  const { seconds, cpu_seconds } = answer.measured
  return [
    { label: label.madeAt, value: dateText(made_at) },
    { label: label.madeBy, value: visibleText(made_by) },
    { label: label.release, value: visibleText(release) },
    { label: label.duration, value: label.durationText(seconds, cpu_seconds) },
    {
      label: label.signature,
      value: signed_by === null ? label.unsigned : label.signed(visibleText(signed_by)),
    },
    codeField(label.digest, sha256Hex(json)),
  ]
}
