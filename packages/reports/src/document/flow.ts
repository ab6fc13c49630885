/** The sources and destinations of value: a table of all parts. */
import type { Report } from '@cupel/contracts'
import type { FlowRow, Table } from './document.js'
import type { Strings } from './strings.en.js'
import { amountText, dollarText, nameOf, shareText, visibleText } from './writing.js'

type Exposure = Report['exposure'][number]
type Part = Exposure['by_category'][number]
/** Counterparties of an evidence item name their source, those of a part do not. */
type Counterparty = Part['counterparties'][number] & { readonly source?: string }
type OmittedCounterparties = Report['risk']['evidence'][number]['counterparties_omitted']

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

const VALUE_COLUMN = 2

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
  const { head } = strings.counterparties
  const amountColumns = [VALUE_COLUMN]
  if (omitted === null) return { head, rows, amountColumns }
  const { count = 0, value, value_usd } = omitted
  const others = [
    strings.counterparties.others(count),
    '',
    value === undefined ? '' : amountText(value),
    value_usd === undefined ? '' : dollarText(value_usd, strings),
    '',
  ]
  return { head, rows: [...rows, others], amountColumns }
}

/** A name, and whose statement it is. */
function partyText({ entity, source = '' }: Counterparty, { counterparties, sourceNames }: Strings): string {
  const name = visibleText(entity)
  return source === '' ? name : counterparties.named(name, nameOf(sourceNames, source))
}
