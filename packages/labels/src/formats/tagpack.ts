/**
 * GraphSense TagPacks in YAML. Each tag inherits the fields of the header that it does not set itself.
 * Layout: https://github.com/graphsense/graphsense-tagpack-tool (README_tagpacks.md).
 */
import type { Category } from '@cupel/contracts'
import { findChain, upperAscii, type Subcategory } from '@cupel/domain'
import { FAILSAFE_SCHEMA, load, YAMLException, type State } from 'js-yaml'
import { parseTime } from './dates.js'
import {
  SetRefusedError,
  type LabelFile,
  type LabelFormat,
  type ParsedItem,
  type ParseOptions,
} from './label-source.js'
import { shown } from './message.js'
import { readText } from './utf8.js'

/** Limit of a YAML file, which is parsed as a whole. The largest public pack has 20 MB. */
const MAX_PACK_BYTES = 128 * 1024 * 1024

export const tagpackFormat: LabelFormat = {
  name: 'tagpack',
  title: 'GraphSense TagPack, YAML',
  description: 'GraphSense TagPack (YAML); an ActorPack as --companion names the actors',
  parse(file, options = {}) {
    return {
      items: parsePack(file, options),
      facts: () => ({ publishedAt: null, defaultSource: 'graphsense_tagpacks' }),
    }
  },
}

/** TagPack confidence words with their value in parts per million and the kind of knowledge. */
const confidenceWords: Readonly<Record<string, { readonly ppm: number; readonly kind: string }>> = {
  ownership: { ppm: 950_000, kind: 'forensic' },
  ledger_immanent: { ppm: 950_000, kind: 'forensic' },
  override: { ppm: 950_000, kind: 'forensic' },
  authority_data: { ppm: 950_000, kind: 'official_document' },
  manual_transaction: { ppm: 900_000, kind: 'forensic' },
  service_api: { ppm: 900_000, kind: 'service_statement' },
  service_data: { ppm: 900_000, kind: 'service_statement' },
  forensic: { ppm: 800_000, kind: 'forensic' },
  forensic_investigation: { ppm: 800_000, kind: 'forensic' },
  trusted_provider: { ppm: 700_000, kind: 'trusted_provider' },
  untrusted_transaction: { ppm: 600_000, kind: 'crowd' },
  web_crawl: { ppm: 600_000, kind: 'crawl' },
  heuristic: { ppm: 100_000, kind: 'heuristic' },
  unknown: { ppm: 50_000, kind: 'heuristic' },
}

interface TagClass {
  readonly category: Category
  readonly subcategory?: Subcategory
}

/**
 * Words of the taxonomies of INTERPOL and GraphSense that map to a category. Words about lawful business have no category here; neither has
 * extremism, which is no crime by itself.
 */
const classWords: Readonly<Record<string, TagClass>> = {
  sanction: { category: 'sanctions' },
  sanctions: { category: 'sanctions' },
  sanctioned: { category: 'sanctions' },
  terrorism: { category: 'darknet', subcategory: 'terrorist_financing' },
  terrorist_financing: { category: 'darknet', subcategory: 'terrorist_financing' },
  child_sexual_abuse: { category: 'darknet', subcategory: 'csam' },
  csam: { category: 'darknet', subcategory: 'csam' },
  ransomware: { category: 'scam', subcategory: 'ransomware' },
  sextortion: { category: 'scam', subcategory: 'sextortion' },
  phishing: { category: 'scam', subcategory: 'phishing' },
  address_poisoning: { category: 'scam', subcategory: 'address_poisoning' },
  investment_fraud: { category: 'scam', subcategory: 'investment_fraud' },
  ponzi_scheme: { category: 'scam', subcategory: 'investment_fraud' },
  pyramid_scheme: { category: 'scam', subcategory: 'investment_fraud' },
  service_hack: { category: 'stolen', subcategory: 'hack' },
  hack: { category: 'stolen', subcategory: 'hack' },
  theft: { category: 'stolen' },
  stolen: { category: 'stolen' },
  dark_web: { category: 'darknet' },
  darknet: { category: 'darknet' },
  darknet_market: { category: 'darknet' },
  market: { category: 'darknet' },
  drugs_narcotics: { category: 'darknet' },
  sexual_abuse: { category: 'darknet' },
  violence: { category: 'darknet' },
  torture: { category: 'darknet' },
  scam: { category: 'scam' },
  fraud: { category: 'scam' },
  financial_crime: { category: 'scam' },
  payment_card_fraud: { category: 'scam' },
  impersonation: { category: 'scam' },
  extortion: { category: 'scam' },
  abuse: { category: 'scam' },
  money_laundering: { category: 'mixer' },
  mixing: { category: 'mixer' },
  mixing_service: { category: 'mixer' },
  coinjoin: { category: 'mixer' },
  exchange: { category: 'clean_exchange' },
}

/** Currencies that are assets on a chain of another name; the address decides the chain. */
const currencyHints: Readonly<Record<string, string>> = {
  XBT: 'BTC',
  BNB: 'BSC',
  MATICPOS: 'MATIC',
  USDT: 'ETH',
  USDC: 'ETH',
  DAI: 'ETH',
  WBTC: 'ETH',
  WETH: 'ETH',
}

type Fields = Readonly<Record<string, unknown>>

async function* parsePack(file: LabelFile, options: ParseOptions): AsyncGenerator<ParsedItem> {
  const actors =
    options.companion === undefined ? new Map<string, string>() : await readActors(options.companion)
  const { document, lineOf } = await readYaml(file)
  const { tags, ...header } = document
  if (!Array.isArray(tags))
    throw new SetRefusedError('wrong-header', null, 'The document has no list of tags')
  for (const tag of tags as readonly unknown[]) {
    if (!isFields(tag)) throw new SetRefusedError('malformed', null, 'A tag is not a mapping')
    yield readTag({ ...header, ...tag }, lineOf.get(tag) ?? 1, actors, options)
  }
}

function readTag(
  tag: Fields,
  line: number,
  actors: ReadonlyMap<string, string>,
  options: ParseOptions,
): ParsedItem {
  const text = (name: string): string => (typeof tag[name] === 'string' ? tag[name].trim() : '')
  const found = classOf(tag) ?? (options.category === undefined ? null : { category: options.category })
  if (found === null) return { type: 'skipped', line, reason: whyNoCategory(tag) }
  const refused = (reason: string): ParsedItem => ({ type: 'refused', line, reason })
  const address = text('address')
  if (address === '') return refused('the tag has no address')
  const currency = upperAscii(text('currency') || text('network'))
  if (currency === '') return refused('the tag has no currency')
  const chainHint = currencyHints[currency] ?? findChain(currency)?.code
  // Do not guess from the address: a Zilliqa address would become an Ethereum one.
  if (chainHint === undefined) return refused(`no chain is known for currency ${shown(currency)}`)
  const word = text('confidence')
  const confidence = Object.hasOwn(confidenceWords, word) ? confidenceWords[word] : undefined
  if (word !== '' && confidence === undefined) return refused(`unknown confidence word ${shown(word)}`)
  // YAML writes a timestamp with a space as well. An odd date of modification says nothing about the address.
  const lastmod = text('lastmod').replace(/^(\d{4}-\d\d-\d\d)[Tt\s]+(\S+)\s*/, '$1T$2')
  const observedAt = parseTime(lastmod)
  const source = text('source')
  const actor = text('actor')
  return {
    type: 'row',
    row: {
      line,
      address,
      chain: null,
      chainHint,
      ...found,
      entity: actors.get(actor) ?? (text('label') || actor),
      source: null,
      sourceUrl: /^https?:\/\/\S+$/.test(source) ? source : '',
      confidencePpm: confidence?.ppm ?? null,
      kind: confidence?.kind ?? null,
      observedAt,
      validFrom: null,
    },
  }
}

/**
 * The most specific word decides: a designation, then a word with a subcategory, then any other crime. The kind of entity comes last: a
 * hacked exchange means stolen, not clean exchange.
 */
function classOf(tag: Fields): TagClass | null {
  const words = wordsOf(tag)
  // The victim is not the robber.
  if (words.includes('victim')) return null
  let best: TagClass | null = null
  for (const word of words) {
    const found = Object.hasOwn(classWords, word) ? classWords[word]! : null
    if (found !== null && (best === null || rankOf(found) > rankOf(best))) best = found
  }
  return best
}

function rankOf({ category, subcategory }: TagClass): number {
  if (category === 'sanctions') return 3
  if (category === 'clean_exchange') return 0
  return subcategory === undefined ? 1 : 2
}

const wordsOf = (tag: Fields): readonly string[] =>
  [tag['abuse'], tag['category'], tag['concepts']]
    .flatMap(asList)
    .filter((word) => typeof word === 'string')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')

function whyNoCategory(tag: Fields): string {
  const words = wordsOf(tag)
  return words.length === 0 ? 'the tag states no category' : `no known category in ${shown(words.join(', '))}`
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value])

/** Actor id → name, of an ActorPack. */
async function readActors(file: LabelFile): Promise<ReadonlyMap<string, string>> {
  const { document } = await readYaml(file)
  const actors = document['actors']
  if (!Array.isArray(actors))
    throw new SetRefusedError('wrong-header', null, 'The companion has no list of actors')
  const names = new Map<string, string>()
  for (const actor of actors as readonly unknown[]) {
    if (!isFields(actor)) continue
    const { id, label } = actor
    if (typeof id === 'string' && typeof label === 'string') names.set(id, label)
  }
  return names
}

/**
 * Every scalar stays text: another schema would turn an unquoted 0x… address into a number and a date into a Date.
 * The result has no positions, so a listener records the first line of each mapping.
 */
async function readYaml(file: LabelFile): Promise<{ document: Fields; lineOf: WeakMap<object, number> }> {
  const text = await readText(file.open(), MAX_PACK_BYTES)
  const lineOf = new WeakMap<object, number>()
  const begun: number[] = []
  const listener = (event: 'open' | 'close', state: State): void => {
    if (event === 'open') begun.push(state.line + 1)
    else {
      const line = begun.pop()!
      if (isFields(state.result)) lineOf.set(state.result, line)
    }
  }
  try {
    // `listener` is documented but missing from the published types' LoadOptions call shape.
    const document = load(text, { schema: FAILSAFE_SCHEMA, listener })
    if (!isFields(document)) throw new SetRefusedError('malformed', null, 'The document is not a mapping')
    return { document, lineOf }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw new SetRefusedError('malformed', error.mark.line + 1, `not YAML: ${error.reason}`, { cause: error })
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
