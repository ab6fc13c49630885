/** What every label format is read into, and the one way a whole set is refused. */
import type { Category } from '@cupel/contracts'

/** One statement of a file about one address, as the file makes it. Nothing here is checked against a chain yet. */
export interface LabelRow {
  /** Line on which the row or entry begins, from 1. */
  readonly line: number
  readonly address: string
  /** Chain code the file states, upper case; null where the format names no chain, only perhaps a ticker. */
  readonly chain: string | null
  /** Ticker or currency word beside the address. A ticker is not a chain: the address decides, this only breaks ties. */
  readonly chainHint: string | null
  readonly category: Category
  /** Who is behind the address in the file's words; empty where it does not say. */
  readonly entity: string
  /** Name of the source the row itself carries; null where the file is one source's. */
  readonly source: string | null
  readonly sourceUrl: string
  /** Parts per million; null where the file states no confidence, so that the kind of the source decides. */
  readonly confidencePpm: number | null
  /** What sort of statement this is, where the format says so in its own words; null where it does not. */
  readonly kind: string | null
  /** UTC, RFC 3339 with milliseconds: when the source last saw the fact or edited the row. Never the start of validity. */
  readonly observedAt: string | null
  /** UTC, RFC 3339 with milliseconds: when what is said began to hold. Only where the source dates it. */
  readonly validFrom: string | null
}

export type ParsedItem =
  | { readonly type: 'row'; readonly row: LabelRow }
  /** A row that says nothing usable. The set goes on without it, and the summary names it. */
  | { readonly type: 'refused'; readonly line: number; readonly reason: string }

/** What the file says about itself. */
export interface SetFacts {
  /** Date the list itself states, UTC, RFC 3339 with milliseconds. */
  readonly publishedAt: string | null
  /** Where the rows name no source of their own: what the format is known to come from. */
  readonly defaultSource: string | null
  /** Entries of the file that hold no address or no category of ours, and were therefore left out. */
  readonly skipped: number
}

export interface ParsedSet {
  /** To be read once, to the end. Throws SetRefusedError. */
  readonly items: AsyncIterable<ParsedItem>
  /** Complete after `items` ended. */
  readonly facts: () => SetFacts
}

export interface ParseOptions {
  /** A second file the format is split into: sdn_comments of the OFAC CSV, an ActorPack of TagPacks. */
  readonly companion?: LabelFile | undefined
  /** For formats that state neither: the category of every row. */
  readonly category?: Category | undefined
  /** For formats that state neither: the chain of every row. */
  readonly chain?: string | undefined
}

export type ByteStream = AsyncIterable<Uint8Array>

/** A file that can be read from its start more than once: some layouts name things before they explain them. */
export interface LabelFile {
  open(): ByteStream
}

export interface LabelFormat {
  readonly name: string
  /** Half a sentence for the operator's help. */
  readonly description: string
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

/** The file as a whole cannot be trusted: nothing of it is taken, and the set already published stays. */
export class SetRefusedError extends Error {
  override readonly name = 'SetRefusedError'
  readonly refusal: SetRefusal
  /** Line the trouble shows on, from 1; null where it is the whole file's. */
  readonly line: number | null

  constructor(refusal: SetRefusal, line: number | null, message: string, options?: { cause?: unknown }) {
    super(line === null ? message : `Line ${line}: ${message}`, options)
    this.refusal = refusal
    this.line = line
  }
}
