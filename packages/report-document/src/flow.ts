/** The sources and destinations of value: a table of all parts, and a picture of the largest. */
import { categories, type Report } from '@cupel/contracts'
import type { FlowNode, FlowPicture, FlowRow, Table } from './document.js'
import { fittedText } from './flow-drawing.js'
import type { Strings } from './strings.en.js'
import { amountText, dollarText, nameOf, shareText, shortenedCode, visibleText } from './writing.js'

type Exposure = Report['exposure'][number]
type Part = Exposure['by_category'][number]
/** Counterparties of an evidence item name their source, those of a part do not. */
type Counterparty = Part['counterparties'][number] & { readonly source?: string }
type OmittedCounterparties = Report['risk']['evidence'][number]['counterparties_omitted']

/** Maximum number of nodes in a readable picture. */
export const MAX_PICTURE_NODES = 24
/** The screened address has one node, and each side has one for the parts that it leaves out. */
const MAX_NODES_PER_SIDE = Math.floor((MAX_PICTURE_NODES - 1) / 2) - 1
/** Width of a node's text, in narrow characters. */
const NODE_TITLE_COLUMNS = 26
const NODE_DETAIL_COLUMNS = 40

/** Every part of every asset, incoming value first, with the total of each asset before its parts. */
export function flowRows(report: Report, strings: Strings): readonly FlowRow[] {
  return report.exposure.flatMap((exposure) => [
    totalRow(exposure, strings),
    ...exposure.by_category.map((part) => partRow(exposure, part, strings)),
  ])
}

function totalRow(exposure: Exposure, strings: Strings): FlowRow {
  return {
    direction: nameOf(strings.directions, exposure.direction),
    category: '',
    text: strings.flow.total(visibleText(exposure.asset)),
    value: amountText(exposure.total),
    valueUsd: dollarText(exposure.total_usd, strings),
    share: exposure.total_complete ? shareText(1, strings) : strings.unknownShare,
    counterparties: null,
  }
}

function partRow(exposure: Exposure, part: Part, strings: Strings): FlowRow {
  const relation = part.relation === null ? '' : nameOf(strings.relations, part.relation)
  const { counterparties, counterparties_omitted } = part
  return {
    direction: nameOf(strings.directions, exposure.direction),
    category: part.category,
    text: strings.flow.part(visibleText(exposure.asset), nameOf(strings.categories, part.category), relation),
    value: amountText(part.value),
    valueUsd: dollarText(part.value_usd, strings),
    share: shareText(part.share, strings),
    counterparties:
      counterparties.length === 0
        ? null
        : counterpartyTable(
            counterparties,
            counterparties_omitted === 0 ? null : { count: counterparties_omitted },
            strings,
          ),
  }
}

/** One row for each counterparty, and one for those that the report leaves out. */
export function counterpartyTable(
  counterparties: readonly Counterparty[],
  omitted: Partial<NonNullable<OmittedCounterparties>> | null,
  strings: Strings,
): Table {
  const rows = counterparties.map((one) => [
    partyText(one, strings),
    visibleText(one.address),
    amountText(one.value),
    dollarText(one.value_usd, strings),
    String(one.transfers),
  ])
  if (omitted === null) return { head: strings.counterparties.head, rows }
  const { count = 0, value, value_usd } = omitted
  const others = [
    strings.counterparties.others(count),
    '',
    value === undefined ? '' : amountText(value),
    value_usd === undefined ? '' : dollarText(value_usd, strings),
    '',
  ]
  return { head: strings.counterparties.head, rows: [...rows, others] }
}

/** A name, and whose statement it is. */
function partyText({ entity, source = '' }: Counterparty, { counterparties }: Strings): string {
  const name = visibleText(entity)
  return source === '' ? name : counterparties.named(name, visibleText(source))
}

/** Null if the ledger knows no value. */
export function flowPicture(report: Report, strings: Strings): FlowPicture | null {
  const incoming = sideNodes(report, 'in', strings)
  const outgoing = sideNodes(report, 'out', strings)
  if (incoming.length + outgoing.length === 0) return null
  const subject: FlowNode = {
    id: 'subject',
    side: 'subject',
    category: '',
    title: shortenedCode(visibleText(report.address)),
    detail: strings.flow.subject,
    isIndirect: false,
  }
  return { nodes: [...incoming, subject, ...outgoing] }
}

interface Candidate {
  readonly category: string
  readonly title: string
  readonly detail: string
  readonly isIndirect: boolean
  readonly usd: number
}

/** Risks first in the order of the categories, then by dollars, then in the order of the report. */
function sideNodes(report: Report, side: 'in' | 'out', strings: Strings): readonly FlowNode[] {
  const parts = report.exposure
    .filter(({ direction }) => direction === (side === 'in' ? 'incoming' : 'outgoing'))
    .flatMap(({ by_category }) => by_category)
  const candidates = parts.flatMap((part) => candidatesOf(part, strings))
  candidates.sort((a, b) => rankOf(a) - rankOf(b) || b.usd - a.usd)
  const unnamed = parts.reduce((sum, part) => sum + part.counterparties_omitted, 0)
  const shown = candidates.slice(0, MAX_NODES_PER_SIDE)
  const rest = candidates.length - shown.length + unnamed
  const nodes = shown.map(({ category, title, detail, isIndirect }, index): FlowNode => {
    const fitted = fittedText(detail, NODE_DETAIL_COLUMNS)
    return { id: `${side}-${index}`, side, category, title, detail: fitted, isIndirect }
  })
  if (rest === 0) return nodes
  const more = { category: '', title: strings.flow.more(rest), detail: '', isIndirect: false }
  return [...nodes, { id: `${side}-more`, side, ...more }]
}

/** A node for each counterparty, and one for a part that has none. */
function candidatesOf(part: Part, strings: Strings): readonly Candidate[] {
  const { category } = part
  const isIndirect = part.relation === 'indirect'
  const word = nameOf(strings.categories, category)
  const relation = isIndirect ? nameOf(strings.relations, 'indirect') : ''
  if (part.counterparties.length === 0) {
    const detail = strings.flow.node(amountText(part.value), '', relation)
    return [{ category, title: word, detail, isIndirect, usd: Number(part.value_usd ?? 0) }]
  }
  return part.counterparties.map((one) => ({
    category,
    title:
      one.entity === ''
        ? shortenedCode(visibleText(one.address))
        : fittedText(visibleText(one.entity), NODE_TITLE_COLUMNS),
    detail: strings.flow.node(amountText(one.value), word, relation),
    isIndirect,
    usd: Number(one.value_usd ?? 0),
  }))
}

const ORDER: readonly string[] = [...categories, 'service', 'unattributed']
function rankOf({ category }: Candidate): number {
  const rank = ORDER.indexOf(category)
  return rank === -1 ? ORDER.length : rank
}
