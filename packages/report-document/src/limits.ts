/** The things that a report does not know, each in words. */
import type { Report } from '@cupel/contracts'
import type { Point } from './document.js'
import { en, type Strings } from './strings.en.js'
import { nameOf, visibleText, wordsOf } from './writing.js'

/** Reasons of the level come first: they keep the address from green. */
export function limitsOf(report: Report, strings: Strings): readonly Point[] {
  const { risk, coverage } = report
  const { exposure } = coverage
  const stopped = report.cluster?.stopped ?? null
  const worded = (table: Readonly<Record<string, string>>, codes: readonly string[]): Point[] =>
    codes.map((code) => ({ code, text: wordsOf(table, code, strings) }))
  const reasoned = (codes: readonly string[]): Point[] =>
    codes.map((code) => ({ code, text: reasonText(code, strings) }))
  const points = [
    // What a late ledger would have known is not known to be missing: the stage itself is named below.
    ...reasoned(
      risk.level_reasons.filter((code) => code !== 'no_chain_data' || !lacksStage(exposure.reason)),
    ),
    ...worded(strings.labelsStatuses, unlessComplete(coverage.labels.status)),
    ...missingLists(coverage.labels.missing ?? [], strings),
    ...worded(strings.exposureReasons, exposure.reason === null ? [] : [exposure.reason]),
    ...reasoned(exposure.incomplete),
    ...(exposure.truncated ? [{ code: 'truncated', text: strings.unknown.truncated }] : []),
    ...worded(strings.chainDataStatuses, unlessComplete(coverage.chain_data.status)),
    ...providerPoints(coverage.chain_data, strings),
    ...worded(strings.clusterStops, stopped === null ? [] : [stopped]),
    ...valuePoints(report, strings),
    ...worded(strings.notExamined, coverage.not_examined),
  ]
  return withoutRepeats(points)
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
  names.map((name) => ({ code: `missing:${name}`, text: strings.unknown.missingList(visibleText(name)) }))

function providerPoints(chainData: Report['coverage']['chain_data'], { unknown }: Strings): Point[] {
  const faults = (chainData.faults ?? []).map(({ source, error }) => ({
    code: `fault:${source}`,
    text: unknown.providerFault(visibleText(source), visibleText(error)),
  }))
  const disagreements = (chainData.disagreements ?? []).map(({ fact, values }) => ({
    code: `disagreement:${fact}`,
    text: unknown.disagreement(
      visibleText(fact),
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
function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(({ text }, index) => points.findIndex((one) => one.text === text) === index)
}
