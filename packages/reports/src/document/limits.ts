/** The things that a report does not know, each in words. */
import type { Report } from '@cupel/contracts'
import type { Point } from './document.js'
import { setText } from './set-name.js'
import { en, type Strings } from './strings.en.js'
import { nameOf, visibleText, wordsOf } from './writing.js'

/** What tells about a limit: its absence says something only where this was examined. */
type Origin = 'level' | 'labels' | 'exposure' | 'chain_data' | 'scope'

export interface Limit {
  readonly origin: Origin
  readonly point: Point
}

/** Reasons of the level come first: they keep the address from green. */
export const limitsOf = (report: Report, strings: Strings): readonly Point[] =>
  withoutRepeats(limitsByOrigin(report, strings).map(({ point }) => point))

export function limitsByOrigin(report: Report, strings: Strings): readonly Limit[] {
  const { risk, coverage } = report
  const { exposure } = coverage
  const stopped = report.cluster?.stopped ?? null
  const worded = (table: Readonly<Record<string, string>>, codes: readonly string[]): Point[] =>
    codes.map((code) => ({ code, text: wordsOf(table, code, strings) }))
  const reasoned = (codes: readonly string[]): Point[] =>
    codes.map((code) => ({ code, text: reasonText(code, strings) }))
  const from = (origin: Origin, points: readonly Point[]): Limit[] =>
    points.map((point) => ({ origin, point }))
  return [
    // What a late ledger would have known is not known to be missing: the stage itself is named below.
    ...from(
      'level',
      reasoned(risk.level_reasons.filter((code) => code !== 'no_chain_data' || !lacksStage(exposure.reason))),
    ),
    ...from('labels', worded(strings.labelsStatuses, unlessComplete(coverage.labels.status))),
    ...from('labels', missingLists(coverage.labels.missing ?? [], strings)),
    ...from('exposure', historyPoints(coverage.history, strings)),
    ...from('exposure', worded(strings.exposureReasons, exposure.reason === null ? [] : [exposure.reason])),
    ...from('exposure', reasoned(exposure.incomplete)),
    ...from('exposure', exposure.truncated ? [{ code: 'truncated', text: strings.unknown.truncated }] : []),
    ...from('chain_data', worded(strings.chainDataStatuses, unlessComplete(coverage.chain_data.status))),
    ...from('chain_data', providerPoints(coverage.chain_data, strings)),
    ...from('exposure', worded(strings.clusterStops, stopped === null ? [] : [stopped])),
    ...from('exposure', valuePoints(report, strings)),
    ...from('scope', worded(strings.notExamined, coverage.not_examined)),
  ]
}

/** Reasons that lists decide, whether or not a ledger was read. */
const ofLists: ReadonlySet<string> = new Set(['stale_labels', 'no_sanctions_list', 'list_incomplete'])

/** Reasons that are named only where nothing else speaks against the history. */
const ofIntermediaries: ReadonlySet<string> = new Set(['intermediary_shortfall', 'intermediary_unread'])

/** Reasons that a provider finds, not the ledger. */
const ofProviders: ReadonlySet<string> = new Set(['balance_mismatch', 'count_mismatch'])

/** Whether a limit of an earlier report, which a later one does not name, may hold all the same: the later one did not examine it. */
export function mayStillHold({ origin, point: { code } }: Limit, { risk, coverage }: Report): boolean {
  const { exposure, chain_data: chainData, labels } = coverage
  const isExamined = exposure.status !== 'unavailable'
  if (origin === 'scope') return !isExamined
  if (origin === 'labels' || ofLists.has(code)) return labels.status !== 'complete'
  if (origin === 'chain_data') return chainData.status !== 'complete'
  if (ofProviders.has(code)) return !isExamined || chainData.status !== 'complete'
  if (origin === 'exposure' && !ofIntermediaries.has(code)) return !isExamined
  // Reasons of a level are named only where it is below orange, and those of the origin of value only without a clean owner.
  if (code === 'conflict') return risk.level === 'red' || risk.level === 'orange'
  return exposure.status !== 'complete' || risk.level === 'red' || risk.level === 'orange'
}

/** The ledger should have been read, and was not: another screening may know more. */
export const lacksStage = (reason: string | null): boolean => reason === 'late' || reason === 'failed'

/** What keeps the address from green, and what a person can do about it. */
export function reasonText(code: string, strings: Strings = en): string {
  const sentence = wordsOf(strings.levelReasons, code, strings)
  return Object.hasOwn(strings.remedies, code) ? strings.remedy(sentence, strings.remedies[code]!) : sentence
}

const unlessComplete = (status: string): readonly string[] => (status === 'complete' ? [] : [status])

const missingLists = (names: readonly string[], strings: Strings): readonly Point[] =>
  names.map((name) => ({
    code: `missing:${name}`,
    text: strings.unknown.missingList(listName(name, strings)),
  }))

/** `source/dataset`, or a dataset without a source. */
function listName(name: string, { sourceNames }: Strings): string {
  const end = Math.max(0, name.indexOf('/'))
  return setText({ source: name.slice(0, end), dataset: name.slice(end === 0 ? 0 : end + 1) }, sourceNames)
}

function factName(fact: string, { chainFacts, unknown }: Strings): string {
  const asset = /^token:(.*)$/s.exec(fact)?.[1]
  return asset === undefined ? nameOf(chainFacts, fact) : unknown.tokenBalance(visibleText(asset))
}

/** How far the histories are that providers tell. */
function historyPoints(history: Report['coverage']['history'], { unknown, ...strings }: Strings): Point[] {
  if (history === undefined || history.status === 'fresh') return []
  const { status, reason, provider, pages, pages_expected: expected, waiting } = history
  if (status === 'reading')
    return [
      {
        code: 'history:reading',
        text: waiting > 0 ? unknown.historyCounterparties(waiting) : unknown.historyPages(pages, expected),
      },
    ]
  const why = nameOf(strings.historyReasons, reason ?? status)
  const whom = provider === null ? null : visibleText(provider)
  return [{ code: 'history:failed', text: unknown.historyFailed(visibleText(why), whom) }]
}

function providerPoints(chainData: Report['coverage']['chain_data'], strings: Strings): Point[] {
  const { unknown, providerErrors } = strings
  const faults = (chainData.faults ?? []).map(({ source, error }) => ({
    code: `fault:${source}`,
    text: unknown.providerFault(visibleText(source), nameOf(providerErrors, error)),
  }))
  const disagreements = (chainData.disagreements ?? []).map(({ fact, values }) => ({
    code: `disagreement:${fact}`,
    text: unknown.disagreement(
      factName(fact, strings),
      values.map(({ source, value }) => `${visibleText(source)} ${visibleText(value)}`).join(', '),
    ),
  }))
  return [...faults, ...disagreements]
}

/** Totals that may be incomplete, and values without a price. */
function valuePoints({ exposure, coverage }: Report, strings: Strings): readonly Point[] {
  const partial = exposure
    .filter(({ total_complete }) => !total_complete)
    .map(({ direction, asset }) => ({
      code: `total:${direction}:${asset}`,
      text: strings.unknown.partialTotal(nameOf(strings.directions, direction), visibleText(asset)),
    }))
  const isPriceless = exposure.length > 0 && coverage.prices === null
  return [...partial, ...(isPriceless ? [{ code: 'prices', text: strings.unknown.priceless }] : [])]
}

/** A reason of the level is often a fact of the coverage too. */
export function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(({ text }, index) => points.findIndex((one) => one.text === text) === index)
}
