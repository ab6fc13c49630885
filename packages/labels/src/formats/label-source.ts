/** The common result of all label formats, and the error that rejects a whole set. */
import type { Category, LabelSanction } from '@cupel/contracts'

/** One statement of a file about one address, in the words of the file. The address is not parsed yet. */
export interface LabelRow {
  /** Line on which the row or entry begins, from 1. */
  readonly line: number
  readonly address: string
  /** Chain code that the file states, upper case; null if the file names no chain. */
  readonly chain: string | null
  /** Ticker or currency of the row. It is not a chain: the address decides, and the ticker only breaks ties. */
  readonly chainHint: string | null
  readonly category: Category
  /** The controller of the address, in the words of the file; empty if the file does not state it. */
  readonly entity: string
  /** Source that the row names; null if the file comes from one source. */
  readonly source: string | null
  readonly sourceUrl: string
  /** Parts per million; null if the file states no confidence: then the kind of the source decides. */
  readonly confidencePpm: number | null
  /** Kind of statement in the words of the format; null if it states none. */
  readonly kind: string | null
  /** UTC, RFC 3339 with milliseconds: when the source last saw the fact or edited the row. Never the start of validity. */
  readonly observedAt: string | null
  /** UTC, RFC 3339 with milliseconds: when the statement became true. Null if the source gives no date. */
  readonly validFrom: string | null
  /** A finer kind of the category, such as ransomware; without it the origin table decides. */
  readonly subcategory?: string
  /** The authority's data on the listed party; absent if the row is no listing. */
  readonly sanction?: LabelSanction | null
}

export type ParsedItem =
  | { readonly type: 'row'; readonly row: LabelRow }
  /** An unusable row. The import skips it and lists it in the summary. */
  | {
      readonly type: 'refused'
      readonly line: number
      readonly reason: string
      /** Source that the row names. */
      readonly source?: string | null
    }
  /** A row of an authority that may designate somebody, and does not say whom. Until an operator accepts it, nothing is green. */
  | { readonly type: 'unreadable'; readonly line: number; readonly reason: string }
  /** A complete entry that states no label: it has no address, or a category that Cupel does not have. */
  | { readonly type: 'skipped'; readonly line: number; readonly reason: string }

/** The file's data about itself. */
export interface SetFacts {
  /** Date that the list states, UTC, RFC 3339 with milliseconds. */
  readonly publishedAt: string | null
  /** Source of the format, for rows that name none. */
  readonly defaultSource: string | null
  /** The list as the document names it, such as SDN: an authority may have several. Absent where the document names none. */
  readonly list?: string | null
}

export interface ParsedSet {
  /** Read it once, to the end. Throws SetRefusedError. */
  readonly items: AsyncIterable<ParsedItem>
  /** Valid after `items` ended. */
  readonly facts: () => SetFacts
}

export interface ParseOptions {
  /** Second file of the format: sdn_comments of the OFAC CSV, an ActorPack for TagPacks. */
  readonly companion?: LabelFile | undefined
  /** Category of every row, for formats that state none. */
  readonly category?: Category | undefined
  /** Chain of every row, for formats that state none. */
  readonly chain?: string | undefined
}

export type ByteStream = AsyncIterable<Uint8Array>

/** A file that can be opened more than once: some layouts need two passes. */
export interface LabelFile {
  open(): ByteStream
}

export interface LabelFormat {
  readonly name: string
  /** In the form of the console. */
  readonly title: string
  /** Short description for the help of the CLI. */
  readonly description: string
  /** The origin of the authority whose whole list a file of this format is, for example us-ofac; absent for other formats. */
  readonly wholeAuthorityList?: string
  /** The authority lists parties, and may know no address of any of them. */
  readonly mayNameNoAddress?: boolean
  parse(file: LabelFile, options?: ParseOptions): ParsedSet
}

export type SetRefusal =
  | 'undecodable'
  | 'malformed'
  | 'wrong-header'
  | 'wrong-columns'
  | 'truncated'
  | 'miscounted'
  | 'missing-option'

/** The file as a whole cannot be trusted. Nothing from it is imported, and the published set stays. */
export class SetRefusedError extends Error {
  override readonly name = 'SetRefusedError'
  readonly refusal: SetRefusal
  /** Line of the fault, from 1; null if the fault concerns the whole file. */
  readonly line: number | null

  constructor(refusal: SetRefusal, line: number | null, message: string, options?: { cause?: unknown }) {
    super(line === null ? message : `Line ${line}: ${message}`, options)
    this.refusal = refusal
    this.line = line
  }
}
