/**
 * A zip archive as it is made (PKWARE APPNOTE 6.3.10): the size of a file stands behind it, so that none is gathered first. For archives and files
 * below 4 GiB.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface ZippedFile {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

interface Entry {
  readonly name: Buffer
  readonly crc: number
  readonly size: number
  readonly compressedSize: number
  readonly offset: number
}

const VERSION = 20
/** Sizes follow the file; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** 1980-01-01, the first day of the format: equal contents are equal archives. */
const DAY = 0x21
/** The last block of a deflated file, and empty. */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00)

/**
 * A file is asked for its chunks only when those before it were read. Each array that is yielded has a buffer of its own, so that it can be
 * transferred to another thread: a `Buffer` may share one with others.
 */
export async function* zip(files: Iterable<ZippedFile>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of parts(files)) yield new Uint8Array(bytes)
}

async function* parts(files: Iterable<ZippedFile>): AsyncGenerator<Uint8Array, void, undefined> {
  const entries: Entry[] = []
  let offset = 0
  for (const { name: text, chunks } of files) {
    const name = Buffer.from(text)
    const start = offset
    const head = Buffer.concat([
      fields([4, 0x04034b50], [2, VERSION], ...common(NOTHING), [2, name.length], [2, 0]),
      name,
    ])
    offset += head.length
    yield head
    let [crc, size, compressedSize] = [0, 0, 0]
    for await (const chunk of chunks) {
      if (chunk.length === 0) continue
      crc = crc32(chunk, crc)
      size += chunk.length
      // Each chunk ends at a whole byte, and is no last block.
      const deflated = deflateRawSync(chunk, { finishFlush: constants.Z_SYNC_FLUSH })
      compressedSize += deflated.length
      yield deflated
    }
    yield LAST_BLOCK
    compressedSize += LAST_BLOCK.length
    yield fields([4, 0x08074b50], [4, crc], [4, compressedSize], [4, size])
    offset += compressedSize + 16
    entries.push({ name, crc, size, compressedSize, offset: start })
  }
  yield directory(entries, offset)
}

const NOTHING = { crc: 0, size: 0, compressedSize: 0 }

type Field = readonly [bytes: 2 | 4, value: number]

const common = ({ crc, size, compressedSize }: Pick<Entry, 'crc' | 'size' | 'compressedSize'>): Field[] => [
  ...([
    [2, FLAGS],
    [2, DEFLATED],
    [2, 0],
    [2, DAY],
  ] as const),
  ...([
    [4, crc],
    [4, compressedSize],
    [4, size],
  ] as const),
]

function directory(entries: readonly Entry[], offset: number): Buffer {
  const lines = entries.map((entry) =>
    Buffer.concat([
      fields(
        ...([
          [4, 0x02014b50],
          [2, VERSION],
          [2, VERSION],
        ] as const),
        ...common(entry),
        ...([
          [2, entry.name.length],
          [2, 0],
          [2, 0],
          [2, 0],
          [2, 0],
          [4, 0],
          [4, entry.offset],
        ] as const),
      ),
      entry.name,
    ]),
  )
  const size = lines.reduce((sum, { length }) => sum + length, 0)
  const count = entries.length
  const end = fields(
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, count],
      [2, count],
      [4, size],
      [4, offset],
      [2, 0],
    ] as const),
  )
  return Buffer.concat([...lines, end])
}

/** Numbers in the order of the format, the low byte first. */
function fields(...all: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of all) at = buffer.writeUIntLE(value, at, bytes)
  return buffer
}
