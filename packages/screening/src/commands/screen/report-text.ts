/** A report for a person: the level, its reasons, where value came from and went, the unknown facts, and the sources. */
import type { Evidence, Report } from '@cupel/contracts'
import { printable, type Paint, type Style } from '@cupel/command-line'
import {
  becauseOf,
  en,
  historiesOf,
  judgedChains,
  limitsOf,
  nameOf,
  pointsText,
  scoreText,
} from '@cupel/reports/document'

const levelStyles: Readonly<Record<string, Style>> = {
  red: 'red',
  orange: 'yellow',
  green: 'green',
  grey: 'gray',
}

/** Items that a person reads; --json has all of them. */
const MOST_REASONS = 8
const MOST_PARTS = 6
const MOST_COUNTERPARTIES = 3

/** The report as text without a line break at its end. */
export function reportText(report: Report, paint: Paint): string {
  const sections = [
    heading(report, paint),
    section('Why', whyLines(report, paint), paint),
    section('Where value came from and went', valueLines(report), paint),
    section('What is not known', unknownLines(report), paint),
    section('Lists', listLines(report), paint),
    footer(report, paint),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const section = (title: string, lines: readonly string[], paint: Paint): readonly string[] =>
  lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => `  ${line}`)]

function heading(report: Report, paint: Paint): readonly string[] {
  const { address, chain, risk, candidate_chains: candidates = [] } = report
  const word = risk.level === 'grey' ? 'NOT CLEARED (grey)' : risk.level.toUpperCase()
  const level = paint(levelStyles[risk.level] ?? 'bold', paint('bold', word))
  const isBound = risk.score_is_lower_bound && risk.score < 100
  const bound = isBound ? ' or more: something that the score needs was missing' : ''
  // No points are no good news for an address that is not cleared.
  const shown = scoreText(risk)
  const score = shown === '' ? [] : [`score ${shown} of 100${bound}`]
  const others = candidates.filter((one) => one !== chain)
  return [
    [level, ...score, ...(risk.level === 'grey' ? [becauseOf(report)] : [])].join('  '),
    `${printable(address)} on ${chain}${others.length > 0 ? ` (also an address on ${listed(others, 6)})` : ''}`,
    ...(isBound && shown === '' ? [en.cautions.lowerBound] : []),
    ...judgedChains(report).map((text) => `Judged there too: ${printable(text)}`),
  ]
}

function whyLines({ risk }: Report, paint: Paint): readonly string[] {
  const counted = risk.evidence.filter(({ used }) => used)
  const ignored = risk.evidence.length - counted.length + risk.evidence_omitted
  return [
    ...risk.conflicts.map(
      (one) =>
        `! ${printable(one.clean_entity)} (clean) and ${printable(one.illicit_entity)} (${one.category}) are both said to own it.`,
    ),
    ...counted.slice(0, MOST_REASONS).flatMap((item) => evidenceLines(item, paint)),
    ...(counted.length > MOST_REASONS ? [`… and ${counted.length - MOST_REASONS} more (--json)`] : []),
    ...(ignored > 0 ? [paint('dim', `${ignored} more that do not count or are not shown (--json)`)] : []),
    ...(risk.evidence.length === 0
      ? ['Nothing is known against this address. Not listed does not mean safe.']
      : []),
  ]
}

function evidenceLines(item: Evidence, paint: Paint): readonly string[] {
  const { category, subcategory, decisive, contribution, sanction } = item
  const kind = subcategory === null ? category : `${category} (${subcategory})`
  const mark = decisive ? '*' : ' '
  const about = [
    `${printable(item.source)}${item.observed_at === null ? '' : `, ${item.observed_at.slice(0, 10)}`}`,
    `origin ${printable(item.origin)}`,
    `confidence ${item.confidence}`,
    ...(item.pre_designation === true ? ['before the designation'] : []),
    ...(item.status === 'historical' ? [nameOf(en.statuses, item.status)] : []),
  ]
  const first = `${mark} ${kind}: ${whoText(item)}, ${contribution} points`
  return [
    decisive ? paint('bold', first) : first,
    ...(item.source === '' ? [] : [`    ${about.join(', ')}`]),
    ...(sanction === null ? [] : [`    ${sanctionText(sanction)}`]),
    ...[pointsText(item)].filter((text) => text !== null).map((text) => `    ${printable(text)}`),
    ...(item.source_url === '' ? [] : [`    ${printable(item.source_url)}`]),
  ]
}

function whoText(item: Evidence): string {
  const { relation, direction, hops, address, sources } = item
  const entity = item.entity === null || item.entity === '' ? null : printable(item.entity)
  if (relation === 'ownership') return `is ${entity ?? 'an unnamed owner'} (${item.role})`
  const place = address === null ? '' : ` ${printable(address)}`
  if (relation === 'cluster') return `spent together with ${entity ?? 'an unnamed owner'}${place}`
  const amount = `${item.value ?? '?'}${item.value_usd === null ? '' : ` (${item.value_usd} USD)`}`
  const share = item.share === null ? '' : `, ${percent(item.share)} of all`
  const whom = sources > 1 ? `${sources} addresses` : `${entity ?? 'an unnamed owner'}${place}`
  const how = hops > 1 ? ` over ${hops} hops` : ''
  return `${direction === 'in' ? 'received' : 'sent'} ${amount}${share} ${direction === 'in' ? 'from' : 'to'} ${whom}${how}`
}

function sanctionText(sanction: NonNullable<Evidence['sanction']>): string {
  const { list, programmes, entity_id: id, aliases, designated_on: since } = sanction
  return [
    `on the list ${printable(list)}`,
    ...(programmes.length > 0 ? [`under ${printable(programmes.join(', '))}`] : []),
    ...(id === '' ? [] : [`entry ${printable(id)}`]),
    ...(since === null ? [] : [`since ${since}`]),
    ...(aliases.length > 0 ? [`also ${printable(aliases.join(', '))}`] : []),
  ].join(', ')
}

function valueLines(report: Report): readonly string[] {
  const { exposure, coverage } = report
  return exposure
    .flatMap((one) => [
      `${one.direction} ${one.total}${usdText(one.total_usd)}${one.total_complete ? '' : ', as far as the ledger knows'}`,
      ...one.by_category.slice(0, MOST_PARTS).map((part) => {
        const shares = part.share === null ? '' : `, ${percent(part.share)}`
        const relation = part.relation === null ? '' : ` ${part.relation}`
        const names = part.counterparties.map(({ entity, address }) =>
          printable(entity === '' ? address : entity),
        )
        const more = part.counterparties.length + part.counterparties_omitted
        const whom = more === 0 ? '' : `: ${listed([...new Set(names)], MOST_COUNTERPARTIES)}`
        return `  ${part.category}${relation} ${part.value}${usdText(part.value_usd)}${shares}${whom}`
      }),
      ...(one.by_category.length > MOST_PARTS
        ? [`  … and ${one.by_category.length - MOST_PARTS} more (--json)`]
        : []),
    ])
    .concat(
      exposure.length > 0 && coverage.prices === null
        ? ['No prices are imported, so there are no dollar values.']
        : [],
      historiesOf(report).map((history) => printable(`The transfers are ${history}.`)),
    )
}

/** A reason of the level also has the name that the API gives it. */
function unknownLines(report: Report): readonly string[] {
  const { level_reasons: reasons } = report.risk
  return limitsOf(report, en).map(({ code, text }) =>
    printable(reasons.includes(code) ? `${code}: ${text}` : text),
  )
}

function listLines({ coverage: { labels }, generated_at: generatedAt }: Report): readonly string[] {
  if (labels.lists.length === 0)
    return ['No sanctions list is in force here: cupel labels sources says how to import one.']
  return labels.lists.map((list) => {
    const dated = list.list_date === null ? 'without a date' : `of ${list.list_date.slice(0, 10)}`
    const confirmed = list.confirmed_at === null ? '' : `, confirmed ${list.confirmed_at.slice(0, 10)}`
    const name = `${printable(list.source === '' ? list.dataset : `${list.source}/${list.dataset}`)}`
    const of =
      list.authority === null
        ? ''
        : `, ${list.whole ? 'the whole list' : 'a part of the list'} of ${list.authority}`
    return `${name}${of}: ${dated}${confirmed}${ageText(list, generatedAt)}, ${list.labels.toLocaleString('en-US')} labels, ${nameOf(en.listStatuses, list.status)}`
  })
}

const DAY_MS = 86_400_000

function ageText(
  { list_date: date, confirmed_at: confirmed }: Report['coverage']['labels']['lists'][number],
  generatedAt: string,
): string {
  const newest = Math.max(
    ...[date, confirmed]
      .map((one) => (one === null ? Number.NaN : Date.parse(one)))
      .filter((ms) => !Number.isNaN(ms)),
  )
  if (!Number.isFinite(newest)) return ''
  const days = Math.max(0, Math.floor((Date.parse(generatedAt) - newest) / DAY_MS))
  return `, ${days} ${days === 1 ? 'day' : 'days'} old`
}

function footer(report: Report, paint: Paint): readonly string[] {
  const { balance, tx_count: count, balances } = report
  const tokens = balances.map(({ asset, amount }) => `${amount} ${printable(asset)}`)
  const holds = [balance, ...tokens].filter((one) => one !== null)
  return [
    ...(holds.length > 0
      ? [`Balance ${listed(holds, MOST_PARTS)}${count === null ? '' : `, ${count} transactions`}`]
      : []),
    // An answer about a past moment is no report, and names its own sources.
    ...(report.report_id === '' ? [] : reportLines(report, paint)),
  ]
}

function reportLines(report: Report, paint: Paint): readonly string[] {
  const { policy } = report
  return [
    paint(
      'dim',
      `Report ${report.report_id} of ${report.generated_at}, policy ${printable(policy.id)} ${policy.version}, scorer ${report.scorer_version}, labels ${report.label_snapshot}`,
    ),
    paint('dim', report.report_url),
  ]
}

const usdText = (usd: string | null): string => (usd === null ? '' : ` (${usd} USD)`)
const percent = (share: number): string => `${Math.round(share * 10_000) / 100} %`

function listed(names: readonly string[], most: number): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ')
}
