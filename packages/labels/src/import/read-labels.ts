/** Turns the rows of a file into labels, by source. A row that states no label is rejected with its line. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { LabelSetRows } from '@cupel/contracts'
import {
  authorityOriginOf,
  authorityReadLike,
  classifyLabel,
  confidenceLadder,
  DEMO_SOURCE,
  findChain,
  isDemoAddress,
  labelIdentity,
  parseAddress,
  parseListedAddress,
  type AddressRefusal,
  type LabelClass,
  type LabelKind,
  type ParsedAddress,
  type StatedLabel,
} from '@cupel/domain'
import { isByChance } from '../formats/authority/lenient-address.js'
import { listedAddresses } from '../formats/authority/listed-addresses.js'
import { labelFormats } from '../formats/formats.js'
import type { ByteStream, LabelFile, LabelRow, ParsedSet } from '../formats/label-source.js'
import type { LabelSpool, SpoolFactory } from './label-spool.js'
import { shown } from '../formats/message.js'
import { faultOfRow } from '../formats/row-faults.js'
import { ImportRefusedError, type LabelImportRequest } from './import-request.js'
import { reasonsText, tallyLeftOut, type LeftOutTally } from './left-out-rows.js'

/** A file has a few sources at most; a hundred mean that its columns are mixed up. */
const MAX_SOURCES = 64
/** Refused rows listed in the summary; all are counted. */
const MAX_LISTED_REFUSALS = 1_000
/** Skipped entries listed; a pack may consist of them. */
const MAX_LISTED_SKIPS = 20
/** Rows between two checks of memory and progress. */
const ROWS_PER_TURN = 2_000
const READ_BYTES = 256 * 1024
const MAX_NAME_CHARACTERS = 200

export interface SourceLabels {
  readonly source: string
  readonly labels: LabelSpool<StatedLabel>
  /** Newest observation date of this source in the file. */
  newestObservedAt: string | null
}

export interface ReadLabels {
  readonly dataset: string
  /** Sorted by name. */
  readonly sources: readonly SourceLabels[]
  readonly sha256: string
  readonly publishedAt: string | null
  /** The list as the document names it; null where it names none. */
  readonly list: string | null
  /** All rows of the document, and those of them that gave a label. */
  readonly rows: number
  readonly rowsRead: number
  readonly leftOut: LeftOut
}

/** Rows of the file that gave no label. */
export interface LeftOut {
  /** Rows of a designating list that do not say whom they designate. */
  readonly unreadable: LeftOutTally
  /** Unusable rows. */
  readonly refused: LeftOutTally
  /** Entries that state no label. */
  readonly skipped: LeftOutTally
}

export const tallyOfFile = (): LeftOut => ({
  unreadable: tallyLeftOut(MAX_LISTED_REFUSALS),
  refused: tallyLeftOut(MAX_LISTED_REFUSALS),
  skipped: tallyLeftOut(MAX_LISTED_SKIPS),
})

/** Reads the whole file. Rejects with SetRefusedError or ImportRefusedError if the file as a whole is unusable. */
export async function readLabels(
  request: LabelImportRequest & { readonly dataset: string },
  spools: SpoolFactory,
  { leftOut, now, onRows }: { leftOut: LeftOut; now: Date; onRows: (rows: number) => void },
): Promise<ReadLabels> {
  const file = hashedFile(request.file)
  const parsed = openFormat(request, file)
  const sources = new Map<string, SourceLabels>()
  let rows = 0
  let unsourced = 0
  let rowsRead = 0
  for await (const item of parsed.items) {
    rows += 1
    if (item.type !== 'row') {
      const isLost =
        item.type === 'refused' && isAuthority(request.source ?? item.source ?? parsed.facts().defaultSource)
      leftOut[isLost ? 'unreadable' : item.type].add(item.line, item.reason)
    } else {
      const { row } = item
      const source = request.source ?? row.source ?? parsed.facts().defaultSource
      const stated = source === null ? NO_SOURCE : stateLabels(row, source, now)
      if (stated === NO_SOURCE) unsourced += 1
      for (const label of stated.labels)
        addLabel(sources, { source: source!, dataset: request.dataset, label, spools })
      if (stated.fault === null) rowsRead += 1
      else leftOut[stated.fault.type].add(row.line, stated.fault.reason)
    }
    if (rows % ROWS_PER_TURN === 0) {
      onRows(rows)
      for (const { labels } of sources.values()) await labels.settle()
    }
  }
  onRows(rows)
  const facts = parsed.facts()
  const named = request.source ?? facts.defaultSource
  const isEmpty = rows === 0
  if (isEmpty && named !== null && (request.acceptRemovals !== undefined || isBareList(request, named))) {
    sources.set(named, { source: named, labels: spools.create(), newestObservedAt: null })
  }
  requireUsable({ request, sources, isEmpty, unsourced, leftOut })
  return {
    dataset: request.dataset,
    sources: [...sources.values()].sort((a, b) => (a.source < b.source ? -1 : 1)),
    sha256: file.sha256(),
    publishedAt: facts.publishedAt,
    list: facts.list ?? null,
    rows,
    rowsRead,
    leftOut,
  }
}

/** The number of unreadable rows that nobody accepted: only the exact number is accepted. */
export function unreadOf({ leftOut }: ReadLabels, { acceptUnreadable }: LabelImportRequest): number {
  const { count } = leftOut.unreadable.result()
  return count === acceptUnreadable ? 0 : count
}

/** What became of the rows of the document. A part adds its rows to those that the set already has. */
export function rowsOf(
  read: ReadLabels,
  request: LabelImportRequest,
  inForce: { readonly rows: LabelSetRows } | null,
): LabelSetRows {
  const { leftOut, rowsRead } = read
  const unreadable = leftOut.unreadable.result().count
  const before = request.append === true ? inForce?.rows : undefined
  return {
    read: rowsRead + (before?.read ?? 0),
    refused: leftOut.refused.result().count + (before?.refused ?? 0),
    skipped: leftOut.skipped.result().count + (before?.skipped ?? 0),
    unreadable: unreadable + (before?.unreadable ?? 0),
    accepted: unreadable - unreadOf(read, request) + (before?.accepted ?? 0),
  }
}

/** The authority itself serves its whole list, and no party on it has an address: this is a valid list, not a mistake. */
function isBareList({ format, confirmed }: LabelImportRequest, source: string): boolean {
  const { wholeAuthorityList, mayNameNoAddress } = labelFormats.get(format) ?? {}
  return (
    mayNameNoAddress === true &&
    wholeAuthorityList === authorityOriginOf(source) &&
    confirmed?.authorities.includes(wholeAuthorityList!) === true
  )
}

function openFormat(request: LabelImportRequest, file: LabelFile): ParsedSet {
  const format = labelFormats.get(request.format)
  if (format === undefined) {
    const known = [...labelFormats.keys()].join(', ')
    throw new ImportRefusedError('unknown-format', `There is no format ${request.format}; known are ${known}`)
  }
  const { companion, category, chain } = request
  return format.parse(file, {
    companion: companion === undefined ? undefined : { open: () => readBytes(companion) },
    category,
    chain,
  })
}

export interface StatedRow {
  readonly labels: readonly StatedLabel[]
  /** Why the row, or a part of it, states no label; null if all of it was read. */
  readonly fault: { readonly type: 'refused' | 'unreadable'; readonly reason: string } | null
}

const refusedRow = (reason: string): StatedRow => ({ labels: [], fault: { type: 'refused', reason } })
const NO_SOURCE = refusedRow('the row names no source')

/**
 * The labels of a row, with their addresses parsed and their origin classified. A row that designates is read leniently; what of it
 * cannot be read is never merely refused, because a listed party would be lost.
 * @param now an observation cannot be later than a day after it
 */
export function stateLabels(row: LabelRow, source: string, now: Date): StatedRow {
  const isDesignating = row.kind === 'designation' || (row.category === 'sanctions' && isAuthority(source))
  const fault = faultOfRow(row, now)
  if (fault !== null)
    return { labels: [], fault: { type: isDesignating ? 'unreadable' : 'refused', reason: fault } }
  if (source.length > MAX_NAME_CHARACTERS) return refusedRow('the name of the source is too long')
  if (isDesignating) return designatedBy(row, source)
  const address =
    row.chain === null
      ? parseListedAddress(row.address, row.chainHint ?? '')
      : parseAddress(row.address, row.chain)
  if (!address.ok) return refusedRow(reasonOf(row, address))
  if (source === DEMO_SOURCE && !isDemoAddress(address.chain, address.canonical))
    return refusedRow('the demo labels its own made-up addresses only')
  return { labels: [labelOf(row, source, address)], fault: null }
}

/** Whether a source is an authority's own list, of which no row may be lost. */
const isAuthority = (source: string | null): boolean => source !== null && authorityOriginOf(source) !== null

function designatedBy(row: LabelRow, source: string): StatedRow {
  const ticker = row.chain ?? row.chainHint ?? ''
  if (/[^\x20-\x7e]/.test(row.chain ?? ''))
    return { labels: [], fault: { type: 'unreadable', reason: `no chain has the code ${shown(ticker)}` } }
  const { addresses, unreadable } = listedAddresses(row.address, ticker)
  const named = ticker === '' ? '' : ` (${ticker.slice(0, 20)})`
  const chance = addresses.find((address) => isByChance(address, ticker))
  const reason =
    unreadable !== null
      ? `no address can be read in ${shown(unreadable)}`
      : chance !== undefined
        ? `only its length says that ${shown(chance.text)} is an address of ${chance.chain}`
        : null
  return {
    labels: addresses.map((address) => labelOf(row, source, address)),
    fault: reason === null ? null : { type: 'unreadable', reason: reason + named },
  }
}

function labelOf(row: LabelRow, source: string, address: ParsedAddress): StatedLabel {
  const { category, entity, sourceUrl, confidencePpm } = row
  const known = classify(row, source)
  const kind = known.origin === source ? (kindOf(row.kind) ?? known.kind) : known.kind
  return {
    chain: address.chain,
    address: address.text,
    canonicalAddress: address.canonical,
    lookupKey: address.lookupKey,
    category,
    entity,
    role: known.role,
    origin: known.origin,
    kind,
    confidencePpm: confidencePpm ?? confidenceLadder[kind],
    sourceUrl,
    observedAt: row.observedAt,
    validFrom: row.validFrom,
    validTo: null,
    subcategory: row.subcategory ?? known.subcategory,
    sanction: row.sanction ?? null,
  }
}

/** Cache of classes: thousands of rows have the same class. */
const classes = new Map<string, LabelClass>()
const MAX_REMEMBERED_CLASSES = 10_000

function classify({ sourceUrl, category, entity }: LabelRow, source: string): LabelClass {
  const key = `${source}\n${sourceUrl}\n${category}\n${entity}`
  let known = classes.get(key)
  if (known === undefined) {
    if (classes.size === MAX_REMEMBERED_CLASSES) classes.clear()
    known = classifyLabel({ source, sourceUrl, category, entity, confidencePpm: null })
    classes.set(key, known)
  }
  return known
}

/**
 * A source that is not in the origin table may state the kind of its knowledge, but never that it is an authority: only the table decides
 * which lists designate.
 */
function kindOf(word: string | null): LabelKind | null {
  if (word === null || word === 'designation' || word === 'restatement') return null
  return word in confidenceLadder ? (word as LabelKind) : null
}

function reasonOf(row: LabelRow, refusal: AddressRefusal): string {
  const chain = row.chain ?? row.chainHint
  const unknown = refusal.code === 'unsupported_chain' || (chain !== null && findChain(chain) === undefined)
  const named =
    chain === null ? '' : unknown ? ` (no chain ${JSON.stringify(chain.slice(0, 20))})` : ` (${chain})`
  return `${refusal.reason.replaceAll('_', ' ')}: ${JSON.stringify(row.address.slice(0, 120))}${named}`
}

function addLabel(
  sources: Map<string, SourceLabels>,
  {
    source,
    dataset,
    label,
    spools,
  }: { source: string; dataset: string; label: StatedLabel; spools: SpoolFactory },
): void {
  let found = sources.get(source)
  if (found === undefined) {
    if (sources.size === MAX_SOURCES) {
      throw new ImportRefusedError('too-many-sources', `The file names more than ${MAX_SOURCES} sources`)
    }
    requireClearName(source)
    found = { source, labels: spools.create(), newestObservedAt: null }
    sources.set(source, found)
  }
  found.labels.add(labelIdentity({ source, dataset }, label), label)
  const { observedAt } = label
  if (observedAt !== null && (found.newestObservedAt === null || observedAt > found.newestObservedAt)) {
    found.newestObservedAt = observedAt
  }
}

function requireClearName(source: string): void {
  const authority = authorityReadLike(source)
  if (authority === null) return
  const message = `The source ${shown(source)} reads like ${authority}, the authority's own list. Name it ${authority} if it is that list, or else with another name (--source)`
  throw new ImportRefusedError('unclear-source', message)
}

/** A file without a usable row is a mistake. So is an empty file, unless the operator names the set that it empties. */
function requireUsable({
  request,
  sources,
  isEmpty,
  unsourced,
  leftOut,
}: {
  request: LabelImportRequest
  sources: Map<string, SourceLabels>
  isEmpty: boolean
  unsourced: number
  leftOut: LeftOut
}): void {
  if (sources.size > 0) return
  if (unsourced > 0) {
    throw new ImportRefusedError('no-source', 'No row names a source: name it with --source')
  }
  if (!isEmpty) {
    const tallies = [leftOut.unreadable, leftOut.refused, leftOut.skipped].map((tally) => tally.result())
    const reasons = tallies.filter(({ count }) => count > 0).map(reasonsText)
    throw new ImportRefusedError(
      'no-usable-row',
      `None of the ${tallies.reduce((sum, { count }) => sum + count, 0)} rows can be used: ${reasons.join('; ')}`,
    )
  }
  throw new ImportRefusedError(
    'no-usable-row',
    `${request.file} holds no labels. To withdraw a set, import an empty file with --source, --set and --accept-removals`,
  )
}

/** Hashes the bytes while they are parsed, so that the hash belongs to exactly these bytes. */
function hashedFile(path: string): LabelFile & { sha256(): string } {
  const hashes: string[] = []
  return {
    open: () => hashing(path, (sha256) => hashes.push(sha256)),
    sha256() {
      const [sha256] = hashes
      if (sha256 === undefined) throw new Error('The file was not read to its end')
      if (hashes.some((other) => other !== sha256)) {
        throw new ImportRefusedError('changed-while-read', `${path} changed while it was read`)
      }
      return sha256
    },
  }
}

async function* hashing(path: string, onEnd: (sha256: string) => void): ByteStream {
  const hash = createHash('sha256')
  for await (const chunk of readBytes(path)) {
    hash.update(chunk)
    yield chunk
  }
  onEnd(hash.digest('hex'))
}

function readBytes(path: string): ByteStream {
  return createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
}
