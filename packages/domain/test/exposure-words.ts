/** What a generated neighbourhood shows: the agreement proves nothing about a rule that never occurs. */
import type { DrawnNeighbourhood } from './drawn-neighbourhoods.js'
import { isWrap } from './reference-case.js'
import type { ReferenceExposure, ReferenceMeasure } from './reference-exposure.js'

const wordsOf = (one: ReferenceMeasure): readonly string[] => [
  ...(one.hundredths > 0 ? ['scored', one.totalComplete ? 'shared' : ''] : []),
  one.amount > one.provenAmount ? 'unproven' : '',
  one.wholeAmount > one.amount ? 'split' : '',
  one.microUsd !== null ? 'priced' : '',
  one.firstAt === null ? 'untimed' : '',
  one.cappedBy === null ? '' : `by ${one.cappedBy}`,
]

/** What a key of a measure says of it. */
function flagsOf(key: string): readonly string[] {
  const [kind, relation, direction, , , cluster, historical] = key.split(' ') as string[]
  return [
    cluster === 'true' ? `cluster ${relation}` : '',
    historical === 'true' ? `historical ${relation} ${direction}` : '',
    kind === 'sanctions/' && relation === 'indirect' ? 'indirect sanctions' : '',
  ]
}

/** Less than dust of every asset, and dust or more over all of them. */
const isEnoughTogether = ({ measures }: ReferenceExposure, dust: DrawnNeighbourhood['dust']): boolean =>
  [...measures].some(([key, { wholeAmount, hundredths }]) => {
    const [, , direction, , , , , group] = key.split(' ') as string[]
    return direction === 'in' && hundredths > 0 && wholeAmount < dust[group!]!
  })

const caseWords = (
  drawn: DrawnNeighbourhood,
  { breakdown, incomplete }: ReferenceExposure,
): readonly string[] => [
  ...incomplete,
  drawn.bundles.length > 0 ? 'bundles' : '',
  drawn.transfers.some((one) => isWrap(one) && drawn.ownIds.includes(one.id)) ? 'wrap' : '',
  drawn.followed.includes('j') ? 'through a CoinJoin' : '',
  ...[...breakdown].flatMap(([key, { parts }]) => [
    ...[...parts.keys()].map((part) => `part ${part}`),
    key.endsWith('new token') ? 'unknown token' : '',
  ]),
]

const TOGETHER = 'dust over all assets of a category'

/** They need several choices at once. */
export const rareWords: readonly string[] = [
  ...['cluster direct', 'cluster indirect', 'historical direct in', 'historical direct out'],
  ...['historical indirect in', 'indirect sanctions', 'by cluster', 'by historical', 'by coinjoin'],
  ...['by pre_designation', 'by unproven', 'illicit_token', 'designated_contract', 'uncounted_value'],
  ...['shortfall', 'intermediary_shortfall', 'unknown_order', 'part issuance direct', 'part uncounted '],
  ...['part service direct', 'unknown token', 'bundles', 'wrap', 'through a CoinJoin', TOGETHER],
]

export const seenWords: readonly string[] = [
  ...['direct', 'indirect', 'unattributed', 'usd', 'wbtc', 'scored', 'shared', 'unproven', 'split', 'priced'],
  ...['untimed', 'coinjoin', 'ransomware', 'csam', 'terrorist_financing'],
  ...['illicit_value', 'illicit_dust', 'weak_origin', ...rareWords],
]

export function wordsOfCase(
  drawn: DrawnNeighbourhood,
  expected: ReferenceExposure,
  doubts: readonly string[],
): ReadonlySet<string> {
  const ofMeasures = [...expected.measures].flatMap(([key, one]) => [
    ...key.split(/[ /]/),
    ...flagsOf(key),
    ...wordsOf(one),
  ])
  const together = isEnoughTogether(expected, drawn.dust) ? [TOGETHER] : []
  return new Set([...ofMeasures, ...doubts, ...caseWords(drawn, expected), ...together])
}
