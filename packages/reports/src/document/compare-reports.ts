/** Compares two reports of one address: the differences, in words. It decides nothing again. */
import { categories, type Evidence, type Report } from '@cupel/contracts'
import type { Point } from './document.js'
import { findingText } from './findings.js'
import { lacksStage, limitsByOrigin, mayStillHold, withoutRepeats, type Limit } from './limits.js'
import { scoreText } from './report-document.js'
import { setText } from './set-name.js'
import { en, type Strings } from './strings.en.js'
import { amountText, dateOr, nameOf, visibleText } from './writing.js'

/** One fact as stated by each of the reports. */
export interface ComparedFact {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly isChanged: boolean
  /** Of points, exact: `+18.85`; empty for other facts and without a change. */
  readonly difference: string
}

export interface ComparedEvidence {
  readonly headline: string
  /** Null if the earlier report does not have the item. */
  readonly before: string | null
  /** Null if the later report no longer has the item. */
  readonly after: string | null
}

export interface ReportComparison {
  /** The earlier report always comes first, whatever the order of the arguments. */
  readonly before: Report
  readonly after: Report
  /** The changes, in sentences, the verdict first; never empty. */
  readonly summary: readonly string[]
  readonly verdict: readonly ComparedFact[]
  /** New items first, then items that are gone, then items of other points. */
  readonly evidence: readonly ComparedEvidence[]
  readonly sameEvidence: number
  /** Limits that only one of the reports has. */
  readonly limits: { readonly gone: readonly Point[]; readonly added: readonly Point[] }
  readonly state: readonly ComparedFact[]
  /** Lists that differ: date, labels or status. */
  readonly lists: readonly ComparedFact[]
}

/** The reports may be given in either order. */
export function compareReports(one: Report, other: Report, strings: Strings = en): ReportComparison {
  const isInOrder =
    one.generated_at < other.generated_at ||
    (one.generated_at === other.generated_at && one.report_id <= other.report_id)
  const [before, after] = isInOrder ? [one, other] : [other, one]
  const verdict = verdictFacts(before, after, strings)
  const { evidence, sameEvidence } = comparedEvidence(before, after, strings)
  const limits = comparedLimits(before, after, strings)
  const state = stateFacts(before, after, strings)
  const lists = listFacts(before, after, strings)
  const rest = { evidence, sameEvidence, limits, state, lists }
  return { before, after, summary: summaryOf(before, after, { verdict, ...rest }, strings), verdict, ...rest }
}

function fact(label: string, before: string, after: string): ComparedFact {
  return { label, before, after, isChanged: before !== after, difference: '' }
}

function pointsFact(label: string, before: string, after: string): ComparedFact {
  return { ...fact(label, before, after), difference: pointsBetween(before, after) }
}

/** Exact: points have at most two decimals. Empty without a difference, or if one of both is no number. */
export function pointsBetween(before: string, after: string): string {
  const [from, to] = [before, after].map((text) => (text === '' ? NaN : Math.round(Number(text) * 100)))
  const hundredths = to! - from!
  if (!(Math.abs(hundredths) > 0)) return ''
  return `${hundredths > 0 ? '+' : '−'}${Math.abs(hundredths) / 100}`
}

function verdictFacts(before: Report, after: Report, strings: Strings): ComparedFact[] {
  const { comparison } = strings
  const level = ({ risk }: Report): string => nameOf(strings.levels, risk.level)
  return [
    fact(comparison.level, level(before), level(after)),
    pointsFact(
      comparison.score,
      scoreText(before.risk) || strings.none,
      scoreText(after.risk) || strings.none,
    ),
    ...categories.map((category) =>
      pointsFact(
        strings.categories[category],
        String(before.risk.categories[category]),
        String(after.risk.categories[category]),
      ),
    ),
  ]
}

/** The fields that identify the same finding in two reports; amounts and points may differ. */
function identityOf(item: Evidence): string {
  const { category, subcategory, relation, direction, hops, chain, address, entity, source, origin, role } =
    item
  return JSON.stringify([
    ...[category, subcategory, relation, direction, hops, chain, address, entity, source, origin, role],
    item.value?.split(' ').at(-1) ?? null,
  ])
}

function comparedEvidence(
  before: Report,
  after: Report,
  strings: Strings,
): Pick<ReportComparison, 'evidence' | 'sameEvidence'> {
  const earlier = grouped(before.risk.evidence)
  const later = grouped(after.risk.evidence)
  const added: ComparedEvidence[] = []
  const gone: ComparedEvidence[] = []
  const changed: ComparedEvidence[] = []
  let sameEvidence = 0
  for (const [identity, items] of later) {
    const known = earlier.get(identity) ?? []
    for (const [index, item] of items.entries()) {
      const was = known[index]
      const headline = headlineOf(item, strings)
      if (was === undefined) added.push({ headline, before: null, after: standingOf(item, strings) })
      else if (standingOf(was, strings) === standingOf(item, strings)) sameEvidence += 1
      else changed.push({ headline, before: standingOf(was, strings), after: standingOf(item, strings) })
    }
  }
  for (const [identity, items] of earlier)
    for (const item of items.slice(later.get(identity)?.length ?? 0))
      gone.push({ headline: headlineOf(item, strings), before: standingOf(item, strings), after: null })
  return { evidence: [...added, ...gone, ...changed], sameEvidence }
}

function grouped(items: readonly Evidence[]): Map<string, Evidence[]> {
  const groups = new Map<string, Evidence[]>()
  for (const item of items) {
    const identity = identityOf(item)
    groups.set(identity, [...(groups.get(identity) ?? []), item])
  }
  return groups
}

function headlineOf(item: Evidence, strings: Strings): string {
  const text = findingText({ ...item, value: null }, strings)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Whether an item counts, how much, and over which value. */
function standingOf(item: Evidence, { comparison, statuses }: Strings): string {
  const counts = item.used ? comparison.points(String(item.contribution)) : comparison.notCounted
  const value = item.value === null ? [] : [amountText(item.value)]
  const ended = item.status === 'live' ? [] : [nameOf(statuses, item.status)]
  return [counts, ...value, ...ended].join(', ')
}

function comparedLimits(before: Report, after: Report, strings: Strings): ReportComparison['limits'] {
  const [earlier, later] = [limitsByOrigin(before, strings), limitsByOrigin(after, strings)]
  const all = (limits: readonly Limit[]): readonly Point[] => limits.map(({ point }) => point)
  const lacks = (points: readonly Point[]) => (point: Point) =>
    !points.some(({ text }) => text === point.text)
  const gone = earlier.filter((limit) => lacks(all(later))(limit.point) && !mayStillHold(limit, after))
  const added = all(later).filter(lacks(all(earlier)))
  return { gone: withoutRepeats(all(gone)), added: withoutRepeats(added) }
}

function stateFacts(before: Report, after: Report, strings: Strings): ComparedFact[] {
  const { comparison, facts, provenance, notKnown } = strings
  const of = (label: string, read: (report: Report) => string): ComparedFact =>
    fact(label, read(before), read(after))
  return [
    of(facts.balance, ({ balance }) => (balance === null ? notKnown : amountText(balance))),
    of(comparison.transactions, ({ tx_count }) =>
      tx_count === null ? notKnown : amountText(String(tx_count)),
    ),
    of(comparison.labels, ({ coverage }) => visibleText(coverage.labels.status)),
    of(comparison.chainData, ({ coverage }) => visibleText(coverage.chain_data.status)),
    of(comparison.exposure, ({ coverage }) => visibleText(coverage.exposure.status)),
    of(provenance.policy, ({ policy }) => provenance.policyText(visibleText(policy.id), policy.version)),
    of(provenance.scorer, ({ scorer_version }) => visibleText(scorer_version)),
    of(provenance.labelSnapshot, ({ label_snapshot }) => visibleText(label_snapshot)),
    of(provenance.labelsAsOf, ({ coverage }) => dateOr(coverage.labels.as_of, notKnown)),
    of(provenance.prices, ({ coverage }) =>
      coverage.prices === null ? strings.none : visibleText(coverage.prices.version.slice(0, 12)),
    ),
  ]
}

function listFacts(before: Report, after: Report, strings: Strings): ComparedFact[] {
  const { comparison } = strings
  const [earlier, later] = [listsOf(before, strings), listsOf(after, strings)]
  return [...new Map([...earlier, ...later])]
    .map(([code, { name }]) =>
      fact(name, earlier.get(code)?.state ?? comparison.absent, later.get(code)?.state ?? comparison.absent),
    )
    .filter(({ isChanged }) => isChanged)
}

/** By their codes: two lists may have one name. A confirmation by itself, without a change of the list, does not count as a difference. */
function listsOf(
  { coverage }: Report,
  strings: Strings,
): Map<string, { readonly name: string; readonly state: string }> {
  return new Map(
    coverage.labels.lists.map((list) => [
      `${list.source} / ${list.dataset}`,
      {
        name: setText(list, strings.sourceNames),
        state: strings.comparison.list(
          dateOr(list.list_date, strings.notKnown),
          amountText(String(list.labels)),
          nameOf(strings.listStatuses, list.status),
        ),
      },
    ]),
  )
}

type Compared = Omit<ReportComparison, 'before' | 'after' | 'summary'>

function summaryOf(before: Report, after: Report, compared: Compared, strings: Strings): readonly string[] {
  const { summary } = strings.comparison
  const { verdict, evidence, limits, state, lists } = compared
  const [level, score] = [verdict[0]!, verdict[1]!]
  const added = evidence.filter((item) => item.before === null).length
  const gone = evidence.filter((item) => item.after === null).length
  const changed = evidence.length - added - gone
  const isSame =
    evidence.length === 0 &&
    limits.gone.length + limits.added.length + lists.length === 0 &&
    ![...verdict, ...state].some(({ isChanged }) => isChanged)
  if (isSame) return [summary.same]
  const hasNew = (label: string): boolean => state.some((one) => one.label === label && one.isChanged)
  return [
    level.isChanged
      ? summary.level(level.before, scoreText(before.risk), level.after, scoreText(after.risk))
      : score.isChanged
        ? summary.score(level.after, score.before, score.after)
        : summary.sameVerdict(level.after, scoreText(after.risk)),
    ...(lacksStage(after.coverage.exposure.reason) ? [strings.comparison.lessKnown] : []),
    ...(evidence.length === 0 ? [] : [summary.evidence(added, gone, changed)]),
    ...(before.risk.evidence_omitted + after.risk.evidence_omitted === 0 ? [] : [summary.omitted]),
    ...(lists.length === 0 ? [] : [summary.lists(lists.length)]),
    ...(hasNew(strings.provenance.policy) ? [summary.policy] : []),
    ...(hasNew(strings.provenance.scorer) ? [summary.scorer] : []),
  ]
}
