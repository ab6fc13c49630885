/**
 * FollowTheMoney entities as JSON lines, as OpenSanctions publishes them. A CryptoWallet has the address; its holder is another entity,
 * before or after it. So the file is read twice: first the wallets, then their holders and the statements about them. Layout:
 * https://followthemoney.tech and https://www.opensanctions.org/docs/bulk/json/
 */
import type { Category, LabelSanction } from '@cupel/contracts'
import {
  BLANK_ROW,
  blankLines,
  findOpenSanctionsDataset,
  openSanctionsSource,
  repeatsNames,
  type Subcategory,
} from '@cupel/domain'
import { parseTime } from './dates.js'
import {
  SetRefusedError,
  type LabelFile,
  type LabelFormat,
  type LabelRow,
  type ParsedItem,
} from './label-source.js'
import { shown } from './message.js'
import { oneLine, sanctionOf } from './sanction.js'
import { readLines } from './utf8.js'

const MAX_LINE_CHARACTERS = 16 * 1024 * 1024
/** Wallets are kept in memory until the names of their holders are read. The largest public collection has some thousands. */
const MAX_WALLETS = 1_000_000

export const ftmFormat: LabelFormat = {
  name: 'ftm',
  title: 'FollowTheMoney (OpenSanctions), JSON lines',
  description: 'FollowTheMoney JSON lines (OpenSanctions): CryptoWallet entities and their holders',
  parse(file) {
    return {
      items: parseEntities(file),
      facts: () => ({ publishedAt: null, defaultSource: 'opensanctions' }),
    }
  },
}

interface WalletClass {
  readonly category: Category
  readonly subcategory?: Subcategory
}

/** Topics that map to a category. A party that is only linked to a sanctioned one is not sanctioned itself. */
const crimes: readonly (readonly [topic: string, WalletClass])[] = [
  ['crime.theft', { category: 'stolen' }],
  ['crime.fraud', { category: 'scam' }],
  ['crime.cyber', { category: 'scam' }],
  ['crime.fin', { category: 'scam' }],
  ['crime.traffick.drug', { category: 'darknet' }],
  ['crime.traffick.human', { category: 'darknet' }],
  ['crime.traffick', { category: 'darknet' }],
  ['crime', { category: 'scam' }],
]
const SANCTION_TOPIC = 'sanction'
const LINKED_TOPIC = 'sanction.linked'
const TERROR_TOPIC = 'crime.terror'

interface Entity {
  readonly id: string
  readonly schema: string
  readonly caption: string
  readonly lastChange: string | null
  readonly datasets: readonly string[]
  readonly properties: Readonly<Record<string, readonly unknown[]>>
}

async function* parseEntities(file: LabelFile): AsyncGenerator<ParsedItem> {
  const wallets: FoundWallet[] = []
  const wanted = new Set<string>()
  for await (const { line, entity } of readEntities(file)) {
    if (entity === null) {
      yield { type: 'refused', line, reason: BLANK_ROW }
      continue
    }
    for (const wallet of walletsOf(entity)) {
      wallets.push({ line, ...wallet })
      wanted.add(wallet.entity.id)
      if (wallet.holder !== undefined) wanted.add(wallet.holder.id)
      for (const holder of texts(wallet.entity, 'holder')) wanted.add(holder)
    }
    if (wallets.length > MAX_WALLETS) {
      throw new SetRefusedError('malformed', line, `more than ${MAX_WALLETS} wallets`)
    }
  }
  if (wallets.length === 0) return
  const known = await readParties(file, wanted)
  for (const wallet of wallets) yield* itemsOf(wallet, known)
}

interface FoundWallet {
  readonly line: number
  readonly entity: Entity
  /** The entity that contains the wallet; undefined for a wallet on a line of its own. */
  readonly holder?: Entity
}

/** Only wallets have a public key, so an entity that has one is a wallet under whatever word for its schema. */
const isWallet = ({ schema, properties }: Entity): boolean =>
  schema === 'CryptoWallet' || Object.hasOwn(properties, 'publicKey')

/** In the nested layout, the wallets of a party are inside it. */
function walletsOf(entity: Entity): readonly Omit<FoundWallet, 'line'>[] {
  if (isWallet(entity)) return [{ entity }]
  return (entity.properties['cryptoWallets'] ?? [])
    .map(asEntity)
    .filter((wallet) => wallet !== null)
    .map((wallet) => ({ entity: wallet, holder: entity }))
}

/** Holders of wallets, and the statements of authorities about wallets and holders. */
interface Parties {
  readonly holders: ReadonlyMap<string, Entity>
  /** Party → its entries of schema Sanction. */
  readonly sanctions: ReadonlyMap<string, readonly Entity[]>
}

async function readParties(file: LabelFile, wanted: ReadonlySet<string>): Promise<Parties> {
  const holders = new Map<string, Entity>()
  const sanctions = new Map<string, Entity[]>()
  for await (const { entity } of readEntities(file)) {
    if (entity === null) continue
    if (entity.schema === 'Sanction') {
      for (const party of texts(entity, 'entity').filter((id) => wanted.has(id))) {
        sanctions.set(party, [...(sanctions.get(party) ?? []), entity])
      }
    } else if (wanted.has(entity.id) && !isWallet(entity)) holders.set(entity.id, entity)
  }
  return { holders, sanctions }
}

function* itemsOf(found: FoundWallet, known: Parties): Generator<ParsedItem> {
  const { line, entity: wallet } = found
  const { holders, missing } = holdersOf(found, known.holders)
  const own = texts(wallet, 'topics')
  // What a source says of any holder it says of the wallet, unless it says that the wallet is only linked to somebody.
  const topics = own.includes(LINKED_TOPIC)
    ? own
    : [...own, ...holders.flatMap((one) => texts(one, 'topics'))]
  const statements = statementsOf(wallet, topics)
  if (missing !== undefined && !topics.includes(SANCTION_TOPIC))
    yield {
      type: 'refused',
      line,
      reason: `the file does not have the holder ${shown(missing)} of the wallet`,
    }
  if (statements.length === 0) {
    if (missing === undefined)
      yield { type: 'skipped', line, reason: `no known category in topics ${shown(topics.join(', '))}` }
    return
  }
  const addresses = texts(wallet, 'publicKey')
  if (addresses.length === 0) {
    yield { type: 'refused', line, reason: `wallet ${shown(wallet.id)} has no publicKey` }
  }
  for (const statement of statements) {
    const sanctions = [wallet, ...holders].flatMap((one) => sanctionsOf(one, known))
    for (const address of addresses) {
      yield { type: 'row', row: rowOf({ line, wallet, holder: holders[0], address, statement, sanctions }) }
    }
  }
}

interface Statement extends WalletClass {
  /** Name of a dataset whose author the origin table knows; null for any other. */
  readonly dataset: string | null
}

/** The statements of each dataset about a wallet. Statements of unknown datasets count once. */
function statementsOf({ datasets }: Entity, topics: readonly string[]): readonly Statement[] {
  const known = datasets.filter((name) => findOpenSanctionsDataset(name) !== undefined)
  if (known.length === 0) return classesOf(topics).map((found) => ({ ...found, dataset: null }))
  return known.flatMap((dataset) => {
    const { category, subcategory } = findOpenSanctionsDataset(dataset)!
    if (category === null) return classesOf(topics).map((found) => ({ ...found, dataset }))
    return [{ category, ...(subcategory === undefined ? {} : { subcategory }), dataset }]
  })
}

/** A designation and terrorism both count; any other crime counts only if neither is stated. */
function classesOf(topics: readonly string[]): readonly WalletClass[] {
  const classes: WalletClass[] = []
  if (topics.includes(SANCTION_TOPIC)) classes.push({ category: 'sanctions' })
  if (topics.includes(TERROR_TOPIC)) classes.push({ category: 'darknet', subcategory: 'terrorist_financing' })
  if (classes.length > 0) return classes
  const crime = crimes.find(([topic]) => topics.includes(topic))
  return crime === undefined ? [] : [crime[1]]
}

function rowOf(found: {
  line: number
  wallet: Entity
  holder: Entity | undefined
  address: string
  statement: Statement
  sanctions: readonly Entity[]
}): LabelRow {
  const { line, wallet, holder, address, sanctions } = found
  const { dataset, ...what } = found.statement
  const name = oneLine(holder?.caption ?? (wallet.caption === address ? '' : wallet.caption))
  const stated = sanctions.filter((entry) => dataset === null || entry.datasets.includes(dataset))
  const designatedAt = what.category === 'sanctions' ? designationDate(stated) : null
  return {
    line,
    address,
    chain: null,
    chainHint: texts(wallet, 'currency')[0] ?? null,
    ...what,
    entity: name,
    source: dataset === null ? null : openSanctionsSource(dataset),
    sourceUrl:
      texts(wallet, 'sourceUrl')[0] ?? (holder === undefined ? '' : (texts(holder, 'sourceUrl')[0] ?? '')),
    confidencePpm: null,
    kind: what.category === 'sanctions' ? 'restatement' : null,
    observedAt: wallet.lastChange === null ? null : parseTime(wallet.lastChange),
    validFrom: designatedAt,
    ...(what.category === 'sanctions'
      ? { sanction: sanctionText({ dataset, name, wallet, holder, stated, designatedAt }) }
      : {}),
  }
}

function sanctionText(found: {
  dataset: string | null
  name: string
  wallet: Entity
  holder: Entity | undefined
  stated: readonly Entity[]
  designatedAt: string | null
}): LabelSanction {
  const { dataset, name, wallet, holder, stated, designatedAt } = found
  const parties = holder === undefined ? [wallet] : [wallet, holder]
  const programmes = [...parties, ...stated].flatMap((entity) => [
    ...texts(entity, 'program'),
    ...texts(entity, 'programId'),
  ])
  const aliases = holder === undefined ? [] : [...texts(holder, 'name'), ...texts(holder, 'alias')]
  const [entityId = ''] = stated.flatMap((entry) => texts(entry, 'authorityId'))
  return sanctionOf({ list: dataset ?? 'opensanctions', programmes, entityId, name, aliases, designatedAt })
}

/** The earliest complete date from which an authority's measure holds. A year by itself gives no date. */
function designationDate(stated: readonly Entity[]): string | null {
  const dates = stated
    .flatMap((entry) => [texts(entry, 'startDate')[0] ?? texts(entry, 'listingDate')[0] ?? ''])
    .map((text) => parseTime(text))
    .filter((date) => date !== null)
  return dates.sort()[0] ?? null
}

/** In the nested layout, a holder is inside the wallet, or the wallet inside its holder. `missing` is the id of one that the file lacks. */
function holdersOf(
  { entity: wallet, holder }: FoundWallet,
  known: ReadonlyMap<string, Entity>,
): { readonly holders: readonly Entity[]; readonly missing: string | undefined } {
  const named = wallet.properties['holder'] ?? []
  const found = named.map((one) => (typeof one === 'string' ? known.get(one) : (asEntity(one) ?? undefined)))
  const holders = [holder, ...found].filter((one) => one !== undefined)
  const missing = named.find((one, at) => typeof one === 'string' && found[at] === undefined)
  return { holders, missing: missing as string | undefined }
}

/** Entries about a party: next to it, or inside it in the nested layout. */
function sanctionsOf(party: Entity, { sanctions }: Parties): readonly Entity[] {
  const nested = (party.properties['sanctions'] ?? []).map(asEntity).filter((entry) => entry !== null)
  return [...(sanctions.get(party.id) ?? []), ...nested]
}

const texts = (entity: Entity, property: string): string[] =>
  (entity.properties[property] ?? []).filter((value) => typeof value === 'string')

/** All entities, and at the end null for each blank line that may be a lost one. */
async function* readEntities(
  file: LabelFile,
): AsyncGenerator<{ readonly line: number; readonly entity: Entity | null }> {
  const blanks = blankLines()
  let lineBreak = false
  for await (const { line, text, terminated } of readLines(file.open(), MAX_LINE_CHARACTERS)) {
    lineBreak = terminated
    if (text.trim() === '') {
      blanks.blank(line)
      continue
    }
    blanks.row()
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
  for (const line of blanks.inPlaceOfRows({ lineBreak })) yield { line, entity: null }
}

function parseEntity(text: string): Entity | null {
  try {
    const value: unknown = JSON.parse(text)
    return repeatsNames(text, value) ? null : asEntity(value)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function asEntity(value: unknown): Entity | null {
  if (typeof value !== 'object' || value === null) return null
  const {
    id,
    schema,
    caption,
    last_change: lastChange,
    datasets,
    properties,
  } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof schema !== 'string') return null
  if (typeof properties !== 'object' || properties === null) return null
  const lists = Object.values(properties)
  if (!lists.every((list) => Array.isArray(list))) return null
  return {
    id,
    schema,
    caption: typeof caption === 'string' ? caption : '',
    lastChange: typeof lastChange === 'string' ? lastChange : null,
    datasets: Array.isArray(datasets) ? datasets.filter((name) => typeof name === 'string') : [],
    properties: properties as Record<string, readonly unknown[]>,
  }
}
