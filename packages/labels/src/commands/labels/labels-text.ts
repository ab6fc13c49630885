/** The labels of one address for a person: the current statements of the sources, then the earlier ones. It judges nothing. */
import type { LabelSanction } from '@cupel/contracts'
import type { ParsedAddress } from '@cupel/domain'
import type { Label, PublishedSet } from '../../read-model/index.js'
import { printable, type Paint } from '@cupel/command-line'

export interface LabelsTextOptions {
  readonly validAt?: string
  readonly knownAt?: string
  /** The sets in force, for the dates of the lists. */
  readonly sets: readonly PublishedSet[]
  readonly paint: Paint
}

/** The text without a line break at its end. */
export function labelsText(
  address: Pick<ParsedAddress, 'canonical' | 'chain'>,
  labels: readonly Label[],
  options: LabelsTextOptions,
): string {
  const { validAt, knownAt, paint } = options
  const times = [
    ...(validAt === undefined ? [] : [`that held at ${validAt}`]),
    ...(knownAt === undefined ? [] : [`known here by ${knownAt}`]),
  ]
  const about = [`${address.canonical} on ${address.chain}`, ...times].join(' ')
  if (labels.length === 0) return `No label of ${about}. Not listed does not mean safe.`
  const live = labels.filter(({ listed }) => listed)
  const ended = labels.filter(({ listed }) => !listed)
  return [
    `${paint('bold', about)}\n${live.length} live, ${ended.length} ended`,
    ...section('What sources say now', live, options),
    ...section('What they no longer say', ended, options),
  ].join('\n\n')
}

const section = (title: string, labels: readonly Label[], options: LabelsTextOptions): readonly string[] =>
  labels.length === 0
    ? []
    : [[options.paint('bold', title), ...labels.map((label) => paragraph(label, options))].join('\n\n')]

function paragraph(label: Label, { sets, paint }: LabelsTextOptions): string {
  const { category, subcategory, entity, role, confidencePpm, source, dataset, origin, kind, chain } = label
  const set = sets.find((one) => one.source === source && one.dataset === dataset)
  const name = entity === '' ? '(no name)' : printable(entity)
  const what = `${category}${subcategory === '' ? '' : ` (${subcategory})`}: ${name}`
  const style = !label.listed ? 'gray' : category === 'clean_exchange' ? 'green' : 'red'
  const list = set === undefined || set.asOf === null ? '' : `, list of ${day(set.asOf)}`
  return [
    `  ${paint(style, what)}  [${stateOf(label)}]`,
    `    ${kind} by ${printable(origin)}, as ${role}, confidence ${confidencePpm / 1_000_000}, on ${chain}`,
    `    source ${printable(source)}/${printable(dataset)}${list}, observed ${day(label.observedAt)}`,
    ...(label.sanction === null ? [] : [`    ${sanctionText(label.sanction)}`]),
    `    held from ${day(label.validFrom)} to ${label.validTo === null ? 'now' : day(label.validTo)}`,
    `    known here from ${minute(label.knownFrom)} to ${label.knownTo === null ? 'now' : minute(label.knownTo)}`,
    ...(label.sourceUrl === '' ? [] : [`    ${printable(label.sourceUrl)}`]),
  ].join('\n')
}

const stateOf = ({ listed, historical }: Label): string =>
  listed ? 'listed' : historical ? 'from an older list, never listed here' : 'no longer listed'

function sanctionText({ list, programmes, entityId, aliases, designatedOn }: LabelSanction): string {
  return [
    `on the list ${printable(list)}`,
    ...(programmes.length > 0 ? [`under ${printable(programmes.join(', '))}`] : []),
    ...(entityId === '' ? [] : [`entry ${printable(entityId)}`]),
    ...(designatedOn === null ? [] : [`designated on ${designatedOn.slice(0, 10)}`]),
    ...(aliases.length > 0 ? [`also ${printable(aliases.join(', '))}`] : []),
  ].join(', ')
}

const day = (time: string | null): string => time?.slice(0, 10) ?? 'unknown'
const minute = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`
