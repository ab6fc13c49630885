/**
 * OFAC's SDN list in its legacy CSV layout: SDN.CSV without header, 12 columns, `-0-` for an empty field. The remarks hold
 * the addresses. They are cut at 1,000 characters, even inside an address, and continue in sdn_comments.csv.
 * Layout: https://ofac.treasury.gov/sdn-list-data-formats-data-schemas
 */
import { readCsvRows, type CsvRow } from '../csv-rows.js'
import {
  SetRefusedError,
  type ByteStream,
  type LabelFile,
  type LabelFormat,
  type ParsedItem,
} from '../label-source.js'
import { BLANK_ROW, upperAscii } from '@cupel/domain'
import { addressesIn, hasLongWord } from '../authority/addresses-in-text.js'
import { visible } from '../authority/lenient-address.js'
import { designation, OFAC_SOURCE, type AddressCell } from './digital-currency.js'

const SDN_COLUMNS = 12
const COMMENT_COLUMNS = 2
const PROGRAMMES = 3
const REMARKS = 11
/** The comments file has a few megabytes; a file a hundred times as large is another file. */
const MAX_COMMENT_CHARACTERS = 256 * 1024 * 1024
/** The published files end with a DOS end-of-file character on a line of its own. */
const DOS_END_OF_FILE = '\u001a'

export const ofacCsvFormat: LabelFormat = {
  name: 'ofac-csv',
  title: 'OFAC, SDN.CSV',
  description: 'OFAC SDN list, legacy CSV (SDN.CSV), with sdn_comments.csv as --companion',
  wholeAuthorityList: 'us-ofac',
  parse(file, options = {}) {
    return {
      items: parseList(file, options.companion),
      facts: () => ({ publishedAt: null, defaultSource: OFAC_SOURCE }),
    }
  },
}

async function* parseList(file: LabelFile, companion: LabelFile | undefined): AsyncGenerator<ParsedItem> {
  const continuations: ReadonlyMap<string, Continuation> =
    companion === undefined ? new Map() : await readContinuations(companion.open())
  const parties = new Set<string>()
  for await (const { fields, line } of readRows(file.open(), SDN_COLUMNS)) {
    if (fields.length === 0) {
      yield { type: 'unreadable', line, reason: BLANK_ROW }
      continue
    }
    const uid = fields[0]!.trim()
    if (!/^\d+$/.test(uid)) {
      throw new SetRefusedError('malformed', line, 'the first column is not the number of a listed party')
    }
    if (fields[REMARKS] === '') {
      throw new SetRefusedError(
        'truncated',
        line,
        'the remarks are missing, not even -0-: the file is cut off',
      )
    }
    const beginning = present(fields[REMARKS]!)
    const continuation = continuations.get(uid)?.text
    parties.add(uid)
    if (continuation === undefined && isCut(beginning)) {
      throw new SetRefusedError(
        companion === undefined ? 'missing-option' : 'truncated',
        line,
        `the remarks of party ${uid} continue in sdn_comments.csv` +
          (companion === undefined ? ': name that file with --companion' : ', which does not have them'),
      )
    }
    const remarks = beginning + (continuation ?? '')
    const entity = nameOf(present(fields[1]!))
    // Several programmes are written as `CYBER2] [DPRK3`.
    const programmes = present(fields[PROGRAMMES]!).split(/\]\s*\[/)
    const aliases = aliasesIn(remarks)
    const { cells, unreadable } = readRemarks(remarks, line)
    // Another edition may state an address in another column.
    const others = fields.filter((text, column) => column !== REMARKS && hasLongWord(text))
    const elsewhere = others.flatMap((text) => addressesIn(text).found)
    cells.push(...elsewhere.map(({ address, ticker }) => ({ line, ticker: ticker ?? '', address })))
    for (const cell of cells) {
      const row = designation({ ...cell, entity, uid, observedAt: null, programmes, aliases })
      yield { type: 'row', row }
    }
    for (const reason of unreadable) yield { type: 'unreadable', line, reason }
    if (continuation !== undefined && !endsWithStop(remarks))
      yield { type: 'unreadable', line, reason: 'the end of the remarks is missing in the comments' }
  }
  for (const [uid, { text, line }] of continuations) {
    const { cells, unreadable } = readRemarks(text, line)
    if (!parties.has(uid) && cells.length + unreadable.length > 0)
      yield { type: 'unreadable', line, reason: `the list has no party ${uid}, which the comments name` }
  }
}

/** The words before an address, and its ticker if one follows them. */
const WORDING =
  /(?:digital|virtual|crypto)[\s\p{Pd}]*(?:currenc\w*|assets?|coins?)?[\s\p{Pd}]*(?:address(?:es)?|wallets?|accounts?)|block[\s\p{Pd}]?chain[\s\p{Pd}]*address(?:es)?/giu
const TICKER = /^[\s\p{Pd}:]*([A-Za-z0-9]{2,12})(?=[\s\p{Pd}:])/u

interface Remarks {
  readonly cells: AddressCell[]
  /** What outside of the cells looks like an address, and why it is none. */
  readonly unreadable: readonly string[]
}

/** The text after each wording up to the next semicolon or wording; then what else in the remarks can only be an address. */
function readRemarks(remarks: string, line: number): Remarks {
  const text = visible(remarks)
  const wordings = [...text.matchAll(WORDING)]
  const cells: AddressCell[] = []
  let rest = ''
  let end = 0
  for (const [index, wording] of wordings.entries()) {
    const start = wording.index + wording[0].length
    const until = Math.min(indexOr(text, ';', start), wordings[index + 1]?.index ?? text.length)
    const cell = text.slice(start, until).replace(/\.?\s*$/, '')
    const ticker = TICKER.exec(cell)
    const address = cell.slice(ticker?.[0].length ?? 0).trim()
    cells.push({ line, ticker: upperAscii(ticker?.[1] ?? ''), address })
    rest += `${text.slice(end, wording.index)}; `
    end = until
  }
  const { found, unreadable } = addressesIn(rest + text.slice(end))
  cells.push(...found.map(({ address, ticker }) => ({ line, ticker: ticker ?? '', address })))
  return { cells, unreadable }
}

function indexOr(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index
}

/** Complete remarks end with a full stop; the layout has room for 1,000 characters. */
const MAX_REMARKS_CHARACTERS = 1_000
const isCut = (remarks: string): boolean => remarks.length >= MAX_REMARKS_CHARACTERS || !endsWithStop(remarks)
const endsWithStop = (remarks: string): boolean => remarks === '' || remarks.trimEnd().endsWith('.')

/** Weak aliases are in the remarks, in quotation marks. The others are in a file of their own. */
const aliasesIn = (remarks: string): string[] =>
  [...remarks.matchAll(/\b[afn]\.k\.a\. '([^']+)'/g)].map(([, alias]) => alias!)

const present = (field: string): string => (field.trim() === '-0-' ? '' : field)

/** `POTEKHIN, Danil` as `Danil POTEKHIN`; names of companies keep their commas. */
function nameOf(name: string): string {
  const person = /^([^,]+), ([^,]+)$/.exec(name.trim())
  const isPerson = person !== null && person[2] !== person[2]!.toUpperCase()
  return isPerson ? `${person[2]} ${person[1]}` : name.trim()
}

/** The rest of a party's remarks, and its first line in the comments. */
interface Continuation {
  readonly text: string
  readonly line: number
}

/** By party. A party may have several lines, in order. */
async function readContinuations(input: ByteStream): Promise<ReadonlyMap<string, Continuation>> {
  const continuations = new Map<string, Continuation>()
  let characters = 0
  for await (const { fields, line } of readRows(input, COMMENT_COLUMNS)) {
    if (fields.length === 0) throw new SetRefusedError('malformed', line, `in the comments ${BLANK_ROW}`)
    const uid = fields[0]!.trim()
    const text = present(fields[1]!)
    characters += text.length
    if (characters > MAX_COMMENT_CHARACTERS) {
      throw new SetRefusedError('malformed', null, 'The comments file is larger than any sdn_comments.csv')
    }
    const before = continuations.get(uid) ?? { text: '', line }
    continuations.set(uid, { ...before, text: before.text + text })
  }
  return continuations
}

async function* readRows(input: ByteStream, columns: number): AsyncGenerator<CsvRow> {
  let end = Infinity
  for await (const row of readCsvRows(input, { trim: true })) {
    const { fields, line } = row
    if (fields.length === 1 && fields[0] === DOS_END_OF_FILE) {
      end = line
      continue
    }
    if (fields.length === 0 && line > end) continue
    if (fields.length !== 0 && fields.length !== columns)
      throw new SetRefusedError('wrong-columns', line, `${fields.length} columns instead of ${columns}`)
    yield row
  }
}
