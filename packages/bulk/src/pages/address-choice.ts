/** Finds the column of a file that has the addresses, whether its first row is a header, and the judgement of each address. */
import { MAX_ADDRESS_LENGTH, MAX_BULK_ITEMS, parseAddress, withoutApiKeys } from '@cupel/domain'
import type { AddressFile, Row } from './address-file.js'

export interface Choice {
  /** From 0. */
  readonly column: number
  readonly hasHeader: boolean
  /** Chain of all addresses; null: the chain of each one is detected. */
  readonly chain: string | null
  /** Column with the person's own references, from 0; null: there are none. */
  readonly referenceColumn: number | null
}

export interface ListedAddress {
  readonly line: number
  readonly text: string
  /** Absent where the row has none. */
  readonly reference?: string
}

export interface Refused extends ListedAddress {
  /** In the words of the address's judgement. */
  readonly detail: string
}

export interface Reading {
  /** Addresses for the job, including refused ones, which become failed items. */
  readonly addresses: readonly ListedAddress[]
  /** The addresses among them that will fail, with the reason. */
  readonly refused: readonly Refused[]
  /** Addresses that no job takes. */
  readonly unusable: readonly Refused[]
  /** Lines that repeat an earlier one, letter by letter. */
  readonly repeats: readonly ListedAddress[]
  /** Rows whose cell in this column is empty. */
  readonly emptyRows: number
}

/** Jobs that one form makes at most. */
export const MAX_JOBS = 5
export const MAX_ADDRESSES = MAX_JOBS * MAX_BULK_ITEMS

/** As the API limits it. */
const MAX_REFERENCE_LENGTH = 128
/** Rows from which column and header are guessed. */
const SAMPLE_ROWS = 100
const HEADER_WORD =
  /address|wallet|account|addr\b|recipient|destination|адрес|adresse|direcci|indirizzo|地址/i

export interface Guess {
  readonly choice: Choice
  /** All columns that hold addresses. Where there are several, only the person knows which one is meant. */
  readonly addressColumns: readonly number[]
}

export function guessChoice({ rows, width }: AddressFile): Guess {
  const [first, ...rest] = rows.slice(0, SAMPLE_ROWS)
  const isAddress = (text: string | undefined): boolean => text !== undefined && parseAddress(text).ok
  const scores = Array.from({ length: width }, (_, column) => ({
    column,
    found:
      rest.filter(({ cells }) => isAddress(cells[column])).length + (isAddress(first?.cells[column]) ? 1 : 0),
    isNamed: HEADER_WORD.test(first?.cells[column] ?? ''),
  }))
  const [best] = scores.sort(
    (one, other) =>
      other.found - one.found || Number(other.isNamed) - Number(one.isNamed) || one.column - other.column,
  )
  const column = best?.column ?? 0
  const top = first?.cells[column] ?? ''
  // A mistyped address in the first row must not be taken for a header. A header is a word, or names the content of the column.
  const hasHeader =
    rest.length > 0 && !isAddress(top) && (HEADER_WORD.test(top) || (best!.found > 0 && isWord(top)))
  const addressColumns = scores.filter(({ found }) => found > 0).map((each) => each.column)
  return {
    choice: { column, hasHeader, chain: null, referenceColumn: null },
    addressColumns: addressColumns.sort((one, other) => one - other),
  }
}

/** Digits and letters in one long run are a mistyped address rather than a name. */
function isWord(text: string): boolean {
  return text === '' || !/[0-9A-Za-z]{20}/.test(text)
}

/** All addresses of one line, as people write short lists. */
export function isOneLineOfAddresses({ rows }: AddressFile): boolean {
  const [only, ...others] = rows
  const cells = (only?.cells ?? []).filter((cell) => cell !== '')
  return others.length === 0 && cells.length > 1 && cells.every((cell) => parseAddress(cell).ok)
}

export function readAddresses(
  file: AddressFile,
  { column, hasHeader, chain, referenceColumn }: Choice,
): Reading {
  const listed: readonly ListedAddress[] = isOneLineOfAddresses(file)
    ? file.rows[0]!.cells.map((text) => ({ line: 1, text }))
    : file.rows.slice(hasHeader ? 1 : 0).map((row) => ({
        ...{ line: row.line, text: cellOf(row, column) },
        ...referenceOf(row, referenceColumn),
      }))
  const addresses: ListedAddress[] = []
  const refused: Refused[] = []
  const unusable: Refused[] = []
  const repeats: ListedAddress[] = []
  const seen = new Set<string>()
  let emptyRows = 0
  for (const one of listed) {
    if (one.text === '') {
      emptyRows += 1
      continue
    }
    const whyNot = unusableBecause(one)
    if (whyNot !== null) {
      unusable.push({ ...one, detail: whyNot })
      continue
    }
    addresses.push(one)
    const asked = JSON.stringify([one.text, one.reference])
    if (seen.has(asked)) repeats.push(one)
    seen.add(asked)
    // Further addresses fit no job; they are counted and not judged.
    if (addresses.length > MAX_ADDRESSES) continue
    const parsed = parseAddress(one.text, chain)
    if (!parsed.ok) refused.push({ ...one, detail: parsed.detail })
  }
  return { addresses, refused, unusable, repeats, emptyRows }
}

/** An item of a job as the API takes it. */
export interface JobItem {
  readonly address: string
  readonly reference?: string
}

/** The items of each job, in the order of the lines. */
export function jobsOf(addresses: readonly ListedAddress[]): JobItem[][] {
  const jobs: JobItem[][] = []
  for (let first = 0; first < addresses.length; first += MAX_BULK_ITEMS)
    jobs.push(
      addresses.slice(first, first + MAX_BULK_ITEMS).map(({ text: address, reference }) => ({
        address,
        ...(reference === undefined ? {} : { reference }),
      })),
    )
  return jobs
}

function cellOf({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

function referenceOf(row: Row, column: number | null): { readonly reference?: string } {
  const reference = column === null ? '' : cellOf(row, column)
  return reference === '' ? {} : { reference }
}

/** The API refuses the whole job for one of these. */
function unusableBecause({ text, reference = '' }: ListedAddress): string | null {
  if ([...text].length > MAX_ADDRESS_LENGTH) return `An address has at most ${MAX_ADDRESS_LENGTH} characters.`
  if ([...reference].length > MAX_REFERENCE_LENGTH)
    return `A reference has at most ${MAX_REFERENCE_LENGTH} characters.`
  if (withoutApiKeys(text) !== text || withoutApiKeys(reference) !== reference)
    return 'This looks like an API key.'
  return null
}
