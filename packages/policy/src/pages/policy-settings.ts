/** A policy document as settings with their meanings, in the order of the published schema. Pure. */
import { policyJsonSchema } from '@cupel/contracts'
import type { PolicyDocument } from '@cupel/domain'
import { amountText, en, nameOf } from '@cupel/reports/document'

export interface Setting {
  /** Names from the root, joined by dots. */
  readonly path: string
  readonly value: string
  readonly meaning: string
}

export interface SettingSection {
  readonly name: string
  readonly title: string
  readonly meaning: string
  readonly settings: readonly Setting[]
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

const schema = policyJsonSchema() as Schema

/** Sections without name and version; a setting that the schema does not know is shown without a meaning. */
export function settingSections(document: PolicyDocument): readonly SettingSection[] {
  const order = Object.keys(schema.properties ?? {})
  return Object.entries(document)
    .filter(([name]) => name !== 'id' && name !== 'version')
    .sort(([a], [b]) => rankIn(order, a) - rankIn(order, b))
    .map(([name, value]) => ({
      name,
      title: titleOf(name),
      meaning: schema.properties?.[name]?.description ?? '',
      settings: settingsOf(name, value, schema.properties?.[name]),
    }))
}

const titleOf = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')

/** `levels.orange` → `Levels: orange`. */
export function settingName(path: string): string {
  const [section = '', ...rest] = path.split('.')
  return [titleOf(section), rest.join(' ').replaceAll('_', ' ')].filter((text) => text !== '').join(': ')
}

/** A name that the schema does not have comes last. */
const rankIn = (order: readonly string[], name: string): number =>
  order.includes(name) ? order.indexOf(name) : order.length

/** `above`: the meanings of the groups that contain the setting, outermost first. */
function settingsOf(
  path: string,
  value: unknown,
  known: Schema | undefined,
  above: readonly string[] = [],
): Setting[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    const order = Object.keys(known?.properties ?? {})
    if (entries.length > 0)
      return entries
        .sort(([a], [b]) => rankIn(order, a) - rankIn(order, b))
        .flatMap(([name, inner]) => {
          const schema = known?.properties?.[name]
          const isGroup = schema?.properties !== undefined && schema.description !== undefined
          const group = isGroup ? [schema.description!] : []
          return settingsOf(`${path}.${name}`, inner, schema ?? named(known), [...above, ...group])
        })
  }
  return [{ path, value: valueText(value), meaning: [...above, known?.description ?? ''].join(' ').trim() }]
}

/** A record has one meaning for all of its names. */
const named = (record: Schema | undefined): Schema | undefined =>
  record?.properties === undefined && record?.description !== undefined
    ? { description: record.description }
    : undefined

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join('; ')
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return entries.length === 0
      ? 'none'
      : entries.map(([name, inner]) => `${name} ${memberText(name, inner)}`).join(', ')
  }
  if (typeof value === 'number') return amountText(String(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Codes of authorities and of conditions in words. */
const memberText = (name: string, value: unknown): string =>
  name === 'origin'
    ? nameOf(en.origins, valueText(value))
    : name === 'when'
      ? valueText(value).replaceAll('_', ' ')
      : valueText(value)

/** Settings that the simple form changes: the bands, the weights, and the minimum points of severe findings. */
export const simpleSettings = [
  'levels.orange',
  'levels.red',
  'weights.sanctions',
  'weights.darknet',
  'weights.mixer',
  'weights.scam',
  'weights.stolen',
  'exposure.direct_sanctions_minimum',
  'exposure.severe.minimum',
  'green.clean_confidence',
  'green.attributed_share',
  'green.doubtful_share',
] as const

/** The number at a path; null where the document has none there. */
export function numberAt(document: unknown, path: string): number | null {
  const value = path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
      document,
    )
  return typeof value === 'number' ? value : null
}

/** A copy with these numbers, under the next version. Paths that the document does not have are left out. */
export function withNumbers(document: PolicyDocument, numbers: ReadonlyMap<string, number>): PolicyDocument {
  const copy = structuredClone(document) as PolicyDocument & { version: number }
  for (const [path, value] of numbers) {
    if (numberAt(copy, path) === null) continue
    const names = path.split('.')
    const last = names.pop()!
    const holder = names.reduce<Record<string, unknown>>(
      (inner, name) => inner[name] as Record<string, unknown>,
      copy as unknown as Record<string, unknown>,
    )
    holder[last] = value
  }
  copy.version += 1
  return copy
}
