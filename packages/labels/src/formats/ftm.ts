/**
 * FollowTheMoney entities as JSON lines, as OpenSanctions publishes them. A CryptoWallet has the address; its holder is
 * another entity, before or after it. So the file is read twice: first the wallets, then the names of their holders.
 * Layout: https://followthemoney.tech and https://www.opensanctions.org/docs/bulk/json/
 */
import type { Category } from '@cupel/contracts'
import { parseTime } from './dates.js'
import {
  SetRefusedError,
  type LabelFile,
  type LabelFormat,
  type LabelRow,
  type ParsedItem,
} from './label-source.js'
import { shown } from './message.js'
import { readLines } from './utf8.js'

const MAX_LINE_CHARACTERS = 16 * 1024 * 1024
/** Wallets are kept in memory until the names of their holders are read. The largest public collection has some thousands. */
const MAX_WALLETS = 1_000_000

export const ftmFormat: LabelFormat = {
  name: 'ftm',
  description: 'FollowTheMoney JSON lines (OpenSanctions): CryptoWallet entities and their holders',
  parse(file) {
    return {
      items: parseEntities(file),
      facts: () => ({ publishedAt: null, defaultSource: 'opensanctions' }),
    }
  },
}

/** Topics that map to a category. A party that is only linked to a sanctioned one is not sanctioned itself. */
const topicCategories: Readonly<Record<string, Category>> = {
  sanction: 'sanctions',
  'crime.theft': 'stolen',
  'crime.fraud': 'scam',
  'crime.cyber': 'scam',
  'crime.traffick.drug': 'darknet',
}

interface Entity {
  readonly id: string
  readonly schema: string
  readonly caption: string
  readonly lastChange: string | null
  readonly properties: Readonly<Record<string, readonly unknown[]>>
}

interface Holder {
  readonly name: string
  readonly sourceUrl: string
  readonly topics: readonly string[]
}

async function* parseEntities(file: LabelFile): AsyncGenerator<ParsedItem> {
  const wallets: { readonly line: number; readonly entity: Entity }[] = []
  const wanted = new Set<string>()
  for await (const { line, entity } of readEntities(file)) {
    if (entity.schema !== 'CryptoWallet') continue
    wallets.push({ line, entity })
    for (const holder of texts(entity, 'holder')) wanted.add(holder)
    if (wallets.length > MAX_WALLETS) {
      throw new SetRefusedError('malformed', line, `more than ${MAX_WALLETS} wallets`)
    }
  }
  const holders = new Map<string, Holder>()
  if (wanted.size > 0) {
    for await (const { entity } of readEntities(file)) {
      if (wanted.has(entity.id)) holders.set(entity.id, holderOf(entity))
    }
  }
  for (const { line, entity } of wallets) {
    const holder = holderOfWallet(entity, holders)
    const topics = texts(entity, 'topics')
    const category = categoryOf(topics.length > 0 ? topics : (holder?.topics ?? []))
    if (category === null) {
      yield { type: 'skipped', line, reason: `no known category in topics ${shown(topics.join(', '))}` }
      continue
    }
    const addresses = texts(entity, 'publicKey')
    if (addresses.length === 0) {
      yield { type: 'refused', line, reason: `wallet ${shown(entity.id)} has no publicKey` }
    }
    for (const address of addresses) {
      yield { type: 'row', row: rowOf({ line, entity, address, category, holder }) }
    }
  }
}

function rowOf(found: {
  line: number
  entity: Entity
  address: string
  category: Category
  holder: Holder | undefined
}): LabelRow {
  const { line, entity, address, category, holder } = found
  return {
    line,
    address,
    chain: null,
    chainHint: texts(entity, 'currency')[0] ?? null,
    category,
    entity: holder?.name ?? (entity.caption === address ? '' : entity.caption),
    source: null,
    sourceUrl: texts(entity, 'sourceUrl')[0] ?? holder?.sourceUrl ?? '',
    confidencePpm: null,
    kind: category === 'sanctions' ? 'restatement' : null,
    observedAt: entity.lastChange === null ? null : parseTime(entity.lastChange),
    validFrom: null,
  }
}

function categoryOf(topics: readonly string[]): Category | null {
  for (const [topic, category] of Object.entries(topicCategories)) if (topics.includes(topic)) return category
  return null
}

function holderOf(entity: Entity): Holder {
  return {
    name: entity.caption,
    sourceUrl: texts(entity, 'sourceUrl')[0] ?? '',
    topics: texts(entity, 'topics'),
  }
}

/** In the nested layout the holder is inside the wallet. */
function holderOfWallet(wallet: Entity, holders: ReadonlyMap<string, Holder>): Holder | undefined {
  for (const value of wallet.properties['holder'] ?? []) {
    const holder = typeof value === 'string' ? holders.get(value) : nestedEntity(value)
    if (holder !== undefined) return holder
  }
  return undefined
}

function nestedEntity(value: unknown): Holder | undefined {
  const entity = asEntity(value)
  return entity === null ? undefined : holderOf(entity)
}

const texts = (entity: Entity, property: string): string[] =>
  (entity.properties[property] ?? []).filter((value) => typeof value === 'string')

async function* readEntities(
  file: LabelFile,
): AsyncGenerator<{ readonly line: number; readonly entity: Entity }> {
  for await (const { line, text, terminated } of readLines(file.open(), MAX_LINE_CHARACTERS)) {
    if (text.trim() === '') continue
    const entity = parseEntity(text)
    if (entity === null) {
      throw new SetRefusedError(
        terminated ? 'malformed' : 'truncated',
        line,
        terminated ? 'not a FollowTheMoney entity' : 'the file ends in the middle of an entity',
      )
    }
    yield { line, entity }
  }
}

function parseEntity(text: string): Entity | null {
  try {
    return asEntity(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function asEntity(value: unknown): Entity | null {
  if (typeof value !== 'object' || value === null) return null
  const { id, schema, caption, last_change: lastChange, properties } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof schema !== 'string') return null
  if (typeof properties !== 'object' || properties === null) return null
  const lists = Object.values(properties)
  if (!lists.every((list) => Array.isArray(list))) return null
  return {
    id,
    schema,
    caption: typeof caption === 'string' ? caption : '',
    lastChange: typeof lastChange === 'string' ? lastChange : null,
    properties: properties as Record<string, readonly unknown[]>,
  }
}
