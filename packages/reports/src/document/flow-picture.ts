/**
 * The picture of the flow: whom value came from and went to, grouped by name. It rests only on the parts and the evidence of the report;
 * what the report leaves out or did not read has a node of its own.
 */
import { categories, type Report } from '@cupel/contracts'
import { directionOf, groupsOf, withParty, type Group, type Party, type Side } from './flow-groups.js'
import { assetOf, difference, summed } from './amounts.js'
import type { FlowEdge, FlowKind, FlowNode, FlowParty, FlowPicture } from './document.js'
import { evidenceId } from './findings.js'
import { fittedText } from './flow-drawing.js'
import type { Strings } from './strings.en.js'
import {
  amountText,
  dateText,
  dollarText,
  glanceText,
  nameOf,
  shortenedCode,
  visibleText,
} from './writing.js'

type Part = Report['exposure'][number]['by_category'][number]
type Evidence = Report['risk']['evidence'][number]

/** Parties of one side with a node of their own. */
export const MAX_PARTIES_PER_SIDE = 7
/** Width of a node's text, in narrow characters. */
const TITLE_COLUMNS = 24
const LINE_COLUMNS = 28

/** Null if the ledger knows no value. */
export function flowPicture(report: Report, strings: Strings): FlowPicture | null {
  if (report.exposure.every(({ by_category }) => by_category.length === 0)) return null
  const isPriced = report.exposure.every(({ by_category }) =>
    by_category.every(({ value_usd }) => value_usd !== null),
  )
  const hasOneAsset = new Set(report.exposure.map(({ asset }) => asset)).size === 1
  const scale: Scale = isPriced ? 'dollars' : hasOneAsset ? 'asset' : 'none'
  const sides = (['in', 'out'] as const).map((side) => sideOf(report, side, scale, strings))
  const [incoming, outgoing] = [sides[0]!, sides[1]!]
  const edges = [...incoming.edges, ...outgoing.edges]
  const largest = Math.max(...edges.map(({ weight }) => weight))
  const { notes, kinds } = strings.flow
  const subject: FlowNode = {
    ...{ id: SUBJECT, side: 'subject', kind: 'subject', category: '', dates: '', value: '', valueUsd: '' },
    title: shortenedCode(visibleText(report.address)),
    lines: [strings.flow.subject, visibleText(report.chain)],
    ...{ name: visibleText(report.address), what: kinds.subject.word },
    ...{ parties: [], unnamed: 0, evidence: [] },
  }
  return {
    nodes: [...incoming.nodes, subject, ...outgoing.nodes],
    edges: edges.map((edge) => ({ ...edge, weight: largest === 0 ? 0 : edge.weight / largest })),
    notes: [
      { dollars: notes.widths, asset: notes.assetWidths, none: notes.noWidths }[scale],
      ...(edges.some(({ isIndirect }) => isIndirect) ? [notes.dashed] : []),
      ...([...incoming.nodes, ...outgoing.nodes].some(({ kind }) => kind === 'between')
        ? [notes.between]
        : []),
    ],
  }
}

const SUBJECT = 'subject'

/** What the widths of lines show. */
type Scale = 'dollars' | 'asset' | 'none'

interface DrawnSide {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
}

/** Risks first in the order of the categories, then by dollars, then in the order of the report. */
function sideOf(report: Report, side: Side, scale: Scale, strings: Strings): DrawnSide {
  const exposures = report.exposure.filter(({ direction }) => direction === directionOf[side])
  const groups = groupsOf(report, side)
  const sorted = groups.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || Number(other.usd ?? 0) - Number(one.usd ?? 0),
  )
  const shown = sorted.slice(0, MAX_PARTIES_PER_SIDE)
  const drawn = shown.map((group, index) =>
    drawnGroup(group, `${side}-${index}`, { report, side, scale, strings }),
  )
  const others = othersOf(sorted.slice(MAX_PARTIES_PER_SIDE), exposures, { report, side, scale, strings })
  const isUnread = exposures.some((one) => !one.total_complete) || isCut(report.coverage.exposure)
  return merged([
    ...drawn,
    ...(others === null ? [] : [others]),
    ...(isUnread ? [unreadOf(side, strings)] : []),
  ])
}

const isCut = ({ truncated, incomplete }: Report['coverage']['exposure']): boolean =>
  truncated || incomplete.length > 0

const merged = (sides: readonly DrawnSide[]): DrawnSide => ({
  nodes: sides.flatMap(({ nodes }) => nodes),
  edges: sides.flatMap(({ edges }) => edges),
})

interface Drawing {
  readonly report: Report
  readonly side: Side
  readonly scale: Scale
  readonly strings: Strings
}

function drawnGroup(group: Group, id: string, drawing: Drawing): DrawnSide {
  const { side, scale, strings } = drawing
  const { category, entity, relation } = group
  const kind = kindOf(category)
  const word = nameOf(strings.categories, category)
  const isIndirect = relation === 'indirect'
  const { kinds, what } = strings.flow
  const indirect = isIndirect ? nameOf(strings.relations, 'indirect') : ''
  const party = group.parties[0]
  const name = entity === '' ? visibleText(party?.address ?? '') || word : visibleText(entity)
  const isCode = entity === '' && party !== undefined
  const dates = datesOf(group.evidence, strings)
  const number = group.parties.length + group.unnamed
  const shownName = number > 1 && isCode === false ? strings.flow.addresses(name, number) : name
  const node: FlowNode = {
    ...{ id, side, kind, category, dates, unnamed: group.unnamed },
    title: isCode ? shortenedCode(name) : fittedText(shownName, TITLE_COLUMNS),
    lines: [
      fittedText(
        `${kinds[kind].sign} ${[word, indirect].filter((text) => text !== '').join(', ')}`,
        LINE_COLUMNS,
      ),
      ...valueLines(group.values, group.usd, strings),
      ...(dates === '' ? [] : [dates]),
    ],
    name: shownName,
    what: what(kinds[kind].word, word, indirect),
    value: group.values.map(amountText).join(', '),
    valueUsd: dollarText(group.usd, strings),
    parties: group.parties.map((one) => partyOf(one, strings)),
    evidence: idsOf(group.evidence, drawing.report),
  }
  const between = betweenOf(group, id, drawing)
  const weight = weightOf(group, scale)
  const edge = { category, weight, text: carriedText(node, side, strings) }
  if (between === null)
    return { nodes: [node], edges: [{ ...edge, ...endsOf(side, id, SUBJECT), isIndirect }] }
  return {
    nodes: [node, between.node],
    edges: [
      { ...edge, ...endsOf(side, id, between.node.id), isIndirect: between.isLong },
      { ...edge, ...endsOf(side, between.node.id, SUBJECT), isIndirect: false },
    ],
  }
}

const kinds: Readonly<Record<string, FlowKind>> = {
  sanctions: 'designated',
  clean_exchange: 'service',
  issuance: 'issued',
  service: 'hub',
  unattributed: 'unknown',
  uncounted: 'unknown',
}

/** A category of a later version is not called safe. */
const kindOf = (category: string): FlowKind =>
  Object.hasOwn(kinds, category)
    ? kinds[category]!
    : (categories as readonly string[]).includes(category)
      ? 'risk'
      : 'unknown'

/** The amount and its dollars, or the dollars of several assets together. */
function valueLines(values: readonly string[], usd: string | null, strings: Strings): readonly string[] {
  const [first, ...others] = values
  if (first === undefined) return []
  const dollars = usd === null ? '' : dollarText(usd, strings).replace(/\.\d\d$/, '')
  const { assets, severalAssets } = strings.flow
  const text =
    others.length > 0 && usd !== null
      ? severalAssets(dollars, values.length)
      : [assets(glanceText(first), others.length), dollars].filter((one) => one !== '').join(' · ')
  return [fittedText(text, LINE_COLUMNS)]
}

function datesOf(evidence: readonly Evidence[], strings: Strings): string {
  const days = evidence.flatMap(({ first_at: first, last_at: last }) => [first, last])
  if (days.length === 0 || days.includes(null)) return ''
  const sorted = days.map((day) => dateText(day!).slice(0, DAY_LENGTH)).toSorted()
  return strings.flow.dates(sorted[0]!, sorted.at(-1)!)
}

/** Of the items with transfers. */
const idsOf = (evidence: readonly Evidence[], { risk }: Report): readonly string[] =>
  evidence.filter(({ path }) => path.length > 0).map((item) => evidenceId(risk.evidence.indexOf(item)))

const DAY_LENGTH = '2026-01-01'.length

const partyOf = (one: Party, strings: Strings): FlowParty => ({
  address: one.address,
  entity: visibleText(one.entity),
  value: one.values.map(amountText).join(', '),
  valueUsd: dollarText(one.usd, strings),
  transfers: String(one.transfers),
})

function weightOf({ usd, values }: Pick<Group, 'usd' | 'values'>, scale: Scale): number {
  const weight = scale === 'none' ? 0 : Number.parseFloat((scale === 'dollars' ? usd : values[0]) ?? '0')
  return Number.isFinite(weight) ? weight : 0
}

/** What moved along the line of a party. */
const carriedText = ({ name, value, valueUsd, dates }: FlowNode, side: Side, { flow }: Strings): string =>
  [flow.carried[side](name), value, value === '' ? '' : valueUsd, dates]
    .filter((text) => text !== '')
    .join(', ')

const endsOf = (side: Side, outer: string, inner: string): Pick<FlowEdge, 'from' | 'to'> =>
  side === 'in' ? { from: outer, to: inner } : { from: inner, to: outer }

interface Step {
  readonly from: string
  readonly to: string
  readonly value: string
}

/** The address next to the screened one, of a path that begins or ends at a party of the group. */
function betweenOf(
  group: Group,
  id: string,
  { report, side, strings }: Drawing,
): { readonly node: FlowNode; readonly isLong: boolean } | null {
  const addresses = new Set(group.parties.map(({ address }) => address))
  for (const item of group.evidence) {
    const path = stepsOf(item.path)
    const [first, last] = [path[0], path.at(-1)]
    if (first === undefined || last === undefined || path.length < 2) continue
    const [outer, inner, step] = side === 'in' ? [first.from, last.to, last] : [last.to, first.from, first]
    if (!addresses.has(outer) || inner !== report.address) continue
    const address = side === 'in' ? step.from : step.to
    const { sign } = strings.flow.kinds.between
    const words = strings.flow.between(path.length)
    const node: FlowNode = {
      ...{
        id: `${id}-between`,
        side,
        kind: 'between',
        category: group.category,
        dates: '',
        valueUsd: '',
        unnamed: 0,
        evidence: idsOf([item], report),
      },
      title: shortenedCode(visibleText(address)),
      lines: [`${sign} ${words}`],
      name: visibleText(address),
      what: words,
      value: amountText(step.value),
      parties: [{ address, entity: '', value: amountText(step.value), valueUsd: '', transfers: '' }],
    }
    return { node, isLong: path.length > 2 }
  }
  return null
}

/** No path if a step has a form that this document does not know. */
function stepsOf(path: readonly unknown[]): readonly Step[] {
  const steps = path.filter(isStep)
  return steps.length === path.length ? steps : []
}

const isStep = (step: unknown): step is Step =>
  typeof step === 'object' &&
  step !== null &&
  ['from', 'to', 'value'].every(
    (name) => typeof (step as Readonly<Record<string, unknown>>)[name] === 'string',
  )

/** What has no node of its own: groups beyond the largest, and addresses that the report only counts. */
function othersOf(
  rest: readonly Group[],
  exposures: Report['exposure'],
  { report, side, scale, strings }: Drawing,
): DrawnSide | null {
  const named = exposures
    .flatMap(({ by_category: parts }) => parts)
    .filter(({ counterparties, counterparties_omitted: omitted }) => counterparties.length > 0 && omitted > 0)
  const unnamed =
    named.reduce((sum, part) => sum + part.counterparties_omitted, 0) +
    rest.reduce((sum, group) => sum + group.unnamed, 0)
  const parties = rest.flatMap((group) => group.parties).reduce(withParty, [])
  const number = Math.max(parties.length + unnamed, rest.length)
  if (number === 0) return null
  const left = named.map((part) => remainderOf(part))
  const values = summed([...rest.flatMap((group) => group.values), ...left.map(({ value }) => value)])
  const dollars = [...rest.map(({ usd }) => usd), ...left.map(({ usd }) => usd)]
  const usd = dollars.includes(null) ? null : (summed(dollars as string[])[0] ?? null)
  const found = [...rest, ...named].map(({ category }) => category)
  const risks = (categories as readonly string[]).filter(
    (category) => found.includes(category) && ['designated', 'risk'].includes(kindOf(category)),
  )
  const words = risks.map((category) => nameOf(strings.categories, category)).join(', ')
  const id = `${side}-others`
  const { kinds, more, what } = strings.flow
  const node: FlowNode = {
    ...{
      id,
      side,
      kind: 'others',
      category: '',
      title: more(number),
      name: more(number),
      dates: '',
      unnamed,
    },
    what: what(kinds.others.word, words, ''),
    // A risk is seen even where its party has no node.
    lines: [
      ...(words === '' ? [] : [fittedText(`${kinds.risk.sign} ${words}`, LINE_COLUMNS)]),
      ...valueLines(values, usd, strings),
    ],
    value: values.map(amountText).join(', '),
    valueUsd: dollarText(usd, strings),
    parties: parties.map((one) => partyOf(one, strings)),
    evidence: idsOf([...new Set(rest.flatMap((group) => group.evidence))], report),
  }
  const weight = weightOf({ usd, values }, scale)
  const text = carriedText(node, side, strings)
  return {
    nodes: [node],
    edges: [{ ...endsOf(side, id, SUBJECT), text, category: '', weight, isIndirect: false }],
  }
}

/** The value of a part that none of its named counterparties has. */
function remainderOf(part: Part): { readonly value: string; readonly usd: string | null } {
  const named = summed(part.counterparties.map(({ value }) => value))[0] ?? '0'
  const dollars = part.counterparties.map(({ value_usd }) => value_usd)
  const usd =
    part.value_usd === null || dollars.includes(null)
      ? null
      : difference(part.value_usd, summed(dollars as string[])[0] ?? '0')
  return { value: `${difference(part.value, named)} ${assetOf(part.value)}`.trim(), usd }
}

function unreadOf(side: Side, strings: Strings): DrawnSide {
  const id = `${side}-unread`
  const { unread, unreadDetail, kinds: words } = strings.flow
  const node: FlowNode = {
    ...{ id, side, kind: 'unread', category: '', title: unread, name: unread, dates: '', unnamed: 0 },
    ...{ what: words.unread.word, lines: [unreadDetail], value: '', valueUsd: '' },
    ...{ parties: [], evidence: [] },
  }
  const text = carriedText(node, side, strings)
  return {
    nodes: [node],
    edges: [{ ...endsOf(side, id, SUBJECT), text, category: '', weight: 0, isIndirect: true }],
  }
}

const ORDER: readonly string[] = [...categories, 'service', 'unattributed']
function rankOf({ category }: Group): number {
  const rank = ORDER.indexOf(category)
  return rank === -1 ? ORDER.length : rank
}
