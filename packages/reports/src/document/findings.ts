/** One evidence item in words: a headline, its facts, its counterparties and the path of the value. */
import type { Evidence } from '@cupel/contracts'
import { OWN_LABEL_SOURCE } from '@cupel/domain'
import type { EvidenceView, Field, Table } from './document.js'
import { counterpartyTable } from './flow.js'
import { pointsText } from './points.js'
import type { Strings } from './strings.en.js'
import {
  amountText,
  dateOr,
  dateText,
  dollarText,
  glanceText,
  nameOf,
  safeLink,
  shareText,
  shortened,
  shortenedCode,
  visibleText,
  wordsOf,
} from './writing.js'

/** Maximum number of characters of a name in a headline; the facts contain the whole name. */
const HEADLINE_NAME_LENGTH = 80

/** The id of an item that is at this place of the report. */
export const evidenceId = (place: number): string => `evidence-${place}`

/** `place`: of the item in the report. */
export function evidenceView(item: Evidence, place: number, strings: Strings): EvidenceView {
  return {
    id: evidenceId(place),
    category: item.category,
    categoryWord: nameOf(strings.categories, item.category),
    headline: asSentence(findingText(item, strings)),
    points: strings.why.points(String(item.contribution)),
    isDecisive: item.decisive,
    notCountedBecause: item.used ? null : wordsOf(strings.evidenceReasons, item.reason ?? '', strings),
    fields: [
      ...labelFields(item, strings),
      ...sanctionFields(item, strings),
      ...valueFields(item, strings),
      ...pointsFields(item, strings),
    ],
    counterparties:
      item.counterparties.length === 0
        ? null
        : counterpartyTable(item.counterparties, item.counterparties_omitted, strings),
    steps: stepTable(item.path, strings),
  }
}

export const asSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The statement of one item, without a capital letter and full stop. */
export function findingText(item: Evidence, strings: Strings): string {
  const { findings } = strings
  const entity = partyName(item.entity, strings)
  const category = categoryText(item, strings)
  if (item.relation === 'ownership' && item.source === OWN_LABEL_SOURCE)
    return item.category === 'clean_exchange' ? findings.allowed : findings.blocked(category)
  if (item.relation === 'ownership') {
    return item.sanction === null
      ? findings.owned(entity, category, nameOf(strings.sourceNames, item.source))
      : findings.listed(
          nameOf(strings.authorities, item.origin),
          entity,
          item.sanction.designated_on === null ? null : dateText(item.sanction.designated_on),
        )
  }
  if (item.relation === 'cluster') return findings.clustered(entity, category)
  const value = item.value === null ? findings.value : glanceText(item.value)
  const hops = item.hops > 1 ? findings.hops(item.hops) : ''
  const party = item.entity === null && item.sources > 0 ? findings.parties(item.sources) : entity
  const moved =
    item.direction === 'in' ? findings.received : item.direction === 'out' ? findings.sent : findings.moved
  const then = item.pre_designation === true ? findings.preDesignation : ''
  const since = item.status === 'historical' ? findings.historical : ''
  return moved(value, hops, party, category) + then + since
}

function partyName(entity: string | null, strings: Strings): string {
  if (entity === null || entity.trim() === '') return strings.unnamed
  return shortened(visibleText(entity), HEADLINE_NAME_LENGTH)
}

function categoryText({ category, subcategory }: Evidence, strings: Strings): string {
  const word = nameOf(strings.categories, category).toLowerCase()
  return subcategory === null ? word : `${word}, ${nameOf(strings.subcategories, subcategory)}`
}

function labelFields(item: Evidence, strings: Strings): readonly Field[] {
  const { fields } = strings
  const href = safeLink(item.source_url)
  const link = { label: fields.link, value: visibleText(item.source_url) }
  return [
    ...(item.entity === null ? [] : [{ label: fields.entity, value: visibleText(item.entity) }]),
    ...(item.address === null ? [] : [codeField(fields.labelledAddress, item.address)]),
    { label: fields.relation, value: nameOf(strings.relations, item.relation) },
    ...(item.role === '' ? [] : [{ label: fields.role, value: visibleText(item.role) }]),
    ...(item.source === '' ? [] : [sourceField(item.source, strings)]),
    ...(item.origin === ''
      ? []
      : [
          {
            label: fields.origin,
            value: nameOf(strings.origins, item.origin),
          },
        ]),
    ...(item.source_url === '' ? [] : [href === undefined ? link : { ...link, href }]),
    { label: fields.confidence, value: shareText(item.confidence, strings) },
    { label: fields.observedAt, value: dateOr(item.observed_at, strings.notKnown) },
    { label: fields.status, value: nameOf(strings.statuses, item.status) },
    { label: fields.chainOfLabel, value: visibleText(item.chain) },
  ]
}

function sourceField(source: string, { fields, ownLabel, sourceNames }: Strings): Field {
  if (source === OWN_LABEL_SOURCE) return { label: fields.source, value: ownLabel }
  const field = { label: fields.source, value: visibleText(source) }
  return Object.hasOwn(sourceNames, source) ? { ...field, words: sourceNames[source]! } : field
}

function sanctionFields({ sanction }: Evidence, strings: Strings): readonly Field[] {
  if (sanction === null) return []
  const { fields } = strings
  const listed = (label: string, texts: readonly string[]): Field[] =>
    texts.length === 0 ? [] : [{ label, value: texts.map(visibleText).join('; ') }]
  return [
    { label: fields.list, value: visibleText(sanction.list) },
    { label: fields.designatedOn, value: dateOr(sanction.designated_on, strings.notKnown) },
    ...(sanction.entity_id === ''
      ? []
      : [{ label: fields.entityId, value: visibleText(sanction.entity_id) }]),
    ...listed(fields.programmes, sanction.programmes),
    ...listed(fields.aliases, sanction.aliases),
  ]
}

function valueFields(item: Evidence, strings: Strings): readonly Field[] {
  if (item.value === null) return []
  const { fields } = strings
  return [
    { label: fields.value, value: amountText(item.value), isAmount: true },
    { label: fields.valueUsd, value: dollarText(item.value_usd, strings) },
    { label: fields.share, value: shareText(item.share, strings) },
    { label: fields.transfers, value: String(item.transfers) },
    { label: fields.sources, value: String(item.sources) },
    { label: fields.firstAt, value: dateOr(item.first_at, strings.notKnown) },
    { label: fields.lastAt, value: dateOr(item.last_at, strings.notKnown) },
    ...(item.pre_designation === null
      ? []
      : [{ label: fields.preDesignation, value: item.pre_designation ? fields.yes : fields.no }]),
  ]
}

function pointsFields(item: Evidence, strings: Strings): readonly Field[] {
  const value = pointsText(item, strings)
  if (value === null) return []
  const lift = item.capped_by === null ? undefined : strings.points.lifts[item.capped_by]
  return [
    { label: strings.fields.points, value },
    ...(lift === undefined ? [] : [{ label: strings.fields.lift, value: lift }]),
  ]
}

export const codeField = (label: string, value: string): Field => ({
  label,
  value: visibleText(value),
  isCode: true,
})

/** The column of the value of a step. */
const STEP_VALUE = 3

/** The steps of a path; a report may contain steps of a form that this document does not know. */
function stepTable(path: readonly unknown[], strings: Strings): Table | null {
  const rows = path
    .filter(isRecord)
    .map((step) => [
      stepTime(step, strings),
      shortenedCode(textOf(step['from'])),
      shortenedCode(textOf(step['to'])),
      [amountText(textOf(step['value'])), nameOf(strings.steps.execution, textOf(step['execution']))]
        .filter((text) => text !== '')
        .join(', '),
      textOf(step['transaction']),
    ])
  return rows.length === 0 ? null : { head: strings.steps.head, rows, amountColumns: [STEP_VALUE] }
}

function stepTime(step: Readonly<Record<string, unknown>>, strings: Strings): string {
  if (typeof step['at'] === 'string' && step['at'] !== '') return dateText(step['at'])
  return typeof step['block'] === 'number' ? strings.steps.block(String(step['block'])) : ''
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? visibleText(String(value)) : ''
