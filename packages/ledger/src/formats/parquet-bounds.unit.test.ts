/** Parquet files that take more memory than their bytes show. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { parquetMetadata, type FileMetaData, type PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { afterAll, expect, test } from 'vitest'
import { readRecords } from './read-file.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-parquet-bounds-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
/** More than are read at once. */
const ROWS = 60_000

interface Page {
  readonly header: PageHeader
  readonly body: Uint8Array
}

interface Alteration {
  /** What is written behind the pages. */
  readonly behind?: (writer: ByteWriter, metadata: FileMetaData) => void
  /** How often the page is there. */
  readonly pages?: number
}

/** A file with one column of one page, after the page was changed. */
function altered(
  change: (page: Page) => Page,
  { behind = () => undefined, pages = 1 }: Alteration = {},
): string {
  const options = {
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) },
  } as const
  const data = Array.from({ length: ROWS }, (_, at) => at % 7)
  const whole = Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'value', type: 'DOUBLE', data }],
      rowGroupSize: ROWS,
      ...options,
    }),
  )
  const metadata = parquetMetadata(new Uint8Array(whole))
  const { meta_data: column } = metadata.row_groups[0]!.columns[0]!
  const start = Number(column!.dictionary_page_offset || column!.data_page_offset)
  const end = start + Number(column!.total_compressed_size)
  const chunk = new Uint8Array(whole.subarray(start, end))
  const reader = { view: new DataView(chunk.buffer), offset: 0 }
  // The last page has the values; before it may be a dictionary.
  let [header, headerAt] = [parquetHeader(reader), 0]
  while (reader.offset + header.compressed_page_size < chunk.length) {
    headerAt = reader.offset += header.compressed_page_size
    header = parquetHeader(reader)
  }
  const page = change({ header, body: chunk.subarray(reader.offset) })
  const writer = new ByteWriter()
  writer.appendBytes(whole.subarray(0, start + headerAt))
  for (let written = 0; written < pages; written += 1) {
    writePageHeader(writer, page.header)
    writer.appendBytes(page.body)
  }
  column!.total_compressed_size = BigInt(writer.offset - start)
  behind(writer, metadata)
  writeMetadata(writer, metadata)
  writer.appendBytes(Buffer.from('PAR1'))
  const path = join(folder, `${files++}.parquet`)
  writeFileSync(path, writer.getBytes())
  return path
}

async function rowsOf(path: string): Promise<number> {
  let rows = 0
  for await (const some of readRecords(path, null)) rows += some.length
  return rows
}

const asItIs = (page: Page): Page => page
const withValues =
  (values: number) =>
  ({ header, body }: Page): Page => ({
    header: {
      ...header,
      ...(header.data_page_header === undefined
        ? {}
        : { data_page_header: { ...header.data_page_header, num_values: values } }),
      ...(header.data_page_header_v2 === undefined
        ? {}
        : { data_page_header_v2: { ...header.data_page_header_v2, num_values: values, num_rows: values } }),
    },
    body,
  })

test('a file whose pages are as they say is read', async () => {
  expect(await rowsOf(altered(asItIs))).toBe(ROWS)
})

test('a page that states more values than fit into memory is refused before it is unpacked', async () => {
  await expect(rowsOf(altered(withValues(2_000_000_000)))).rejects.toThrow(
    'a page has more than 256 MiB or 16 million values',
  )
})

test('a page that states more bytes than fit into memory is refused before it is unpacked', async () => {
  const large = ({ header, body }: Page): Page => ({
    header: { ...header, uncompressed_page_size: 2_000_000_000 },
    body,
  })
  await expect(rowsOf(altered(large))).rejects.toThrow('a page has more than 256 MiB or 16 million values')
})

test.each([
  ['values', 2 ** 24, 1_000, 5],
  ['bytes', 1_000, 256 * 1024 ** 2, 9],
])(
  'a group whose pages together have more %s than fit into memory is refused',
  async (_what, values, bytes, pages) => {
    const large = (page: Page): Page => {
      const { header, body } = withValues(values)(page)
      return { header: { ...header, uncompressed_page_size: bytes }, body }
    }
    await expect(rowsOf(altered(large, { pages }))).rejects.toThrow('a row group has more than 2 GiB')
  },
)

test('a page that unpacks to more than it states is unpacked no further', async () => {
  const bomb = ({ header, body: told }: Page): Page => {
    const { data_page_header_v2: page } = header
    const levels = page!.repetition_levels_byte_length + page!.definition_levels_byte_length
    const packed = zstdCompressSync(Buffer.alloc(64 * 1024 ** 2))
    const body = new Uint8Array(Buffer.concat([told.subarray(0, levels), packed]))
    return { header: { ...header, compressed_page_size: body.length }, body }
  }
  await expect(rowsOf(altered(bomb))).rejects.toThrow('Cannot create a Buffer larger than')
})

test.each([
  ['past the pages of its column', (at: bigint) => ({ at, bytes: 100 })],
  ['beyond the end of a page', (_at: bigint, page: bigint) => ({ at: page, bytes: 1024 ** 2 })],
])('an index that leads %s is refused', async (_where, placed) => {
  const path = altered(asItIs, {
    behind: (writer, metadata) => {
      const [column] = metadata.row_groups[0]!.columns
      const indexAt = writer.offset
      const { at, bytes } = placed(BigInt(indexAt), column!.meta_data!.data_page_offset)
      serializeTCompactProtocol(writer, { field_1: [{ field_1: at, field_2: bytes, field_3: 0n }] })
      column!.offset_index_offset = BigInt(indexAt)
      column!.offset_index_length = writer.offset - indexAt
    },
  })
  await expect(rowsOf(path)).rejects.toThrow('an index leads to no page')
})

test('a footer that takes more than fits into memory is refused before it is read', async () => {
  const path = join(folder, 'footer.parquet')
  const bytes = Buffer.alloc(40 * 1024 ** 2)
  bytes.write('PAR1')
  bytes.writeUInt32LE(33 * 1024 ** 2, bytes.length - 8)
  bytes.write('PAR1', bytes.length - 4)
  writeFileSync(path, bytes)
  await expect(rowsOf(path)).rejects.toThrow('a footer of more than 32 MiB')
})
