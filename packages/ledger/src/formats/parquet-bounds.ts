/**
 * What the pages of a row group take in memory, read from their own headers before any of them is unpacked: a page of a few bytes may say of
 * itself that it has billions of values.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { readOffsetIndex, type AsyncBuffer, type ColumnChunk, type RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { LedgerFileError } from './ledger-file-error.js'

/** Uncompressed bytes of the rows of one group; a larger group does not fit into memory. */
const MAX_GROUP_BYTES = 2 * 1024 ** 3
/** Uncompressed bytes of one page. Writers end a page at about a megabyte. */
const MAX_PAGE_BYTES = 256 * 1024 ** 2
/** Values of one page, which are unpacked at once. */
const MAX_PAGE_VALUES = 2 ** 24
/** Values of all columns of a group. A group of a million rows with 60 columns has as many. */
const MAX_GROUP_VALUES = 2 ** 26
const HEADER_BYTES = 4_096
/** With statistics of long values. */
const MAX_HEADER_BYTES = 1024 ** 2
/** The pages of a group are far fewer. */
const MAX_INDEX_BYTES = 16 * 1024 ** 2

/** Of the description of all pages, at the end of the file. Each of its bytes may become an object. */
const MAX_FOOTER_BYTES = 32 * 1024 ** 2
const FOOTER_END_BYTES = 8

/** Throws a LedgerFileError if the footer takes more than there is room for. */
export async function boundFooter(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < FOOTER_END_BYTES) return
  const end = new DataView(await file.slice(file.byteLength - FOOTER_END_BYTES, file.byteLength))
  if (end.getUint32(0, true) > Math.min(MAX_FOOTER_BYTES, file.byteLength))
    throw unreadable('a footer of more than 32 MiB, or than the file has', 1)
}

/** Throws a LedgerFileError if the group takes more than there is room for. `line`: of its first row. */
export async function boundGroup(path: string, group: RowGroup, line: number): Promise<void> {
  const file = await open(path)
  try {
    let [bytes, values] = [0, 0]
    for (const column of group.columns) {
      const pages = new Map<number, Page>()
      for await (const page of pagesOf(file, column, line)) {
        bytes += page.bytes
        values += page.values
        if (page.bytes > MAX_PAGE_BYTES || page.values > MAX_PAGE_VALUES)
          throw new LedgerFileError('a page has more than 256 MiB or 16 million values', line)
        if (bytes > MAX_GROUP_BYTES || values > MAX_GROUP_VALUES)
          throw new LedgerFileError(
            'a row group has more than 2 GiB or 67 million values: write the file with smaller row groups',
            line,
          )
        pages.set(page.at, page)
      }
      await boundIndex(file, column, { pages, line })
    }
  } finally {
    await file.close()
  }
}

interface Page {
  /** Of its header. */
  readonly at: number
  /** Of its header and its packed values. */
  readonly length: number
  /** Uncompressed. */
  readonly bytes: number
  readonly values: number
}

/** The pages of a column, one after the other. */
async function* pagesOf(
  file: FileHandle,
  { meta_data: column }: ColumnChunk,
  line: number,
): AsyncGenerator<Page> {
  if (column === undefined) return
  let at = Number(column.dictionary_page_offset || column.data_page_offset)
  // As the reader ends.
  const end = at + Number(column.total_compressed_size) - 1
  while (at < end) {
    const { header, headerBytes } = await headerAt(file, at, line)
    const values = Math.max(
      header.data_page_header?.num_values ?? 0,
      header.data_page_header_v2?.num_values ?? 0,
      header.data_page_header_v2?.num_rows ?? 0,
      header.dictionary_page_header?.num_values ?? 0,
    )
    const { compressed_page_size: packed, uncompressed_page_size: bytes } = header
    if (!(packed >= 0 && bytes >= 0)) throw unreadable('a page of less than nothing', line)
    yield { at, length: headerBytes + packed, bytes, values }
    at += headerBytes + packed
  }
}

/** An index leads to pages of its column and to no others, whose headers nobody looked at. */
async function boundIndex(
  file: FileHandle,
  { offset_index_offset: at, offset_index_length: length }: ColumnChunk,
  { pages, line }: { readonly pages: ReadonlyMap<number, Page>; readonly line: number },
): Promise<void> {
  if (!at || !length) return
  if (length > MAX_INDEX_BYTES) throw unreadable('an index of too many pages', line)
  const bytes = new Uint8Array(length)
  const { bytesRead } = await file.read(bytes, 0, length, Number(at))
  let locations: ReturnType<typeof readOffsetIndex>['page_locations']
  try {
    locations = readOffsetIndex({ view: new DataView(bytes.buffer, 0, bytesRead), offset: 0 }).page_locations
  } catch (cause) {
    throw unreadable('an index of pages', line, cause)
  }
  for (const { offset, compressed_page_size: size } of locations) {
    const page = pages.get(Number(offset))
    if (page === undefined || size > page.length) throw unreadable('an index leads to no page', line)
  }
}

const unreadable = (why: string, line: number, cause?: unknown): LedgerFileError =>
  new LedgerFileError(`the file is not readable as Parquet (${why})`, line, { cause })

async function headerAt(file: FileHandle, at: number, line: number) {
  for (let size = HEADER_BYTES; ; size *= 16) {
    const bytes = new Uint8Array(size)
    const { bytesRead } = await file.read(bytes, 0, size, at)
    const reader = { view: new DataView(bytes.buffer, 0, bytesRead), offset: 0 }
    try {
      return { header: parquetHeader(reader), headerBytes: reader.offset }
    } catch (cause) {
      if (bytesRead === size && size < MAX_HEADER_BYTES) continue
      throw unreadable('a page has no header', line, cause)
    }
  }
}
