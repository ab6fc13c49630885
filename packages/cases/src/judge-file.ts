/** Judges what a file is by its bytes. Its name counts for nothing, and a file that is two things at once is refused. */
import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

export type JudgedFile =
  | { readonly ok: true; readonly mediaType: string; readonly ending: string }
  | { readonly ok: false; readonly because: 'empty' | 'unknown' | 'more' }

const PDF = Buffer.from('%PDF-')
const PDF_END = Buffer.from('%%EOF')
/** Readers of PDF take a file that has its beginning this far in. */
const PDF_HEAD = 1_024
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
/** The end of a ZIP archive, which readers look for at the end of any file. */
const ZIP_END = Buffer.from('PK\u0005\u0006')
const ZIP_TAIL = 65_557
const PDF_TAIL = 1_024
/** Characters that no text of a person has, the escape of terminals among them. */
// oxlint-disable-next-line no-control-regex -- that is what they are
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** `more`: something follows the file, or a second format is in it. */
export function judgeFile(bytes: Buffer): JudgedFile {
  if (bytes.length === 0) return { ok: false, because: 'empty' }
  const found = formats.find(({ begins }) => begins(bytes))
  if (found === undefined) return { ok: false, because: 'unknown' }
  const { mediaType, ending } = found
  const isOther =
    bytes.subarray(-ZIP_TAIL).includes(ZIP_END) || bytes.subarray(1, PDF_HEAD + PDF.length).includes(PDF)
  return found.isWhole(bytes) && !isOther ? { ok: true, mediaType, ending } : { ok: false, because: 'more' }
}

const startsWith =
  (start: Buffer) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, start.length).equals(start)

const formats = [
  {
    ...{ mediaType: 'application/pdf', ending: 'pdf', begins: startsWith(PDF) },
    // Writers add line ends behind the mark of the end.
    isWhole(bytes: Buffer): boolean {
      const tail = bytes.subarray(-PDF_TAIL)
      const end = tail.lastIndexOf(PDF_END)
      return end >= 0 && /^[\r\n\t \0]*$/.test(tail.subarray(end + PDF_END.length).toString('latin1'))
    },
  },
  { ...{ mediaType: 'image/png', ending: 'png', begins: startsWith(PNG) }, isWhole: isWholePng },
  { ...{ mediaType: 'image/jpeg', ending: 'jpg', begins: startsWith(JPEG) }, isWhole: isWholeJpeg },
  {
    ...{ mediaType: 'text/plain', ending: 'txt' },
    begins: (bytes: Buffer): boolean => isUtf8(bytes) && !CONTROL.test(bytes.toString('utf8')),
    isWhole: (): boolean => true,
  },
]

const CHUNK_FRAME = 12
const CHUNK_NAME = 4
const CHUNK_SUM = 4

/** Chunks with right sums follow each other, from the head of the image to the empty one that ends the file. */
function isWholePng(bytes: Buffer): boolean {
  let hasImage = false
  for (let at = PNG.length; at + CHUNK_FRAME <= bytes.length;) {
    const size = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + CHUNK_NAME, at + 2 * CHUNK_NAME)
    const next = at + CHUNK_FRAME + size
    if (next > bytes.length || (name === 'IHDR') !== (at === PNG.length)) return false
    const sum = next - CHUNK_SUM
    if (crc32(bytes.subarray(at + CHUNK_NAME, sum)) !== bytes.readUInt32BE(sum)) return false
    if (name === 'IDAT') hasImage = true
    if (name === 'IEND') return hasImage && size === 0 && next === bytes.length
    at = next
  }
  return false
}

const [SCAN, END] = [0xda, 0xd9]
const MARK = 0xff
/** Marks without a length, which are in the data of a scan too; 0 stands for a byte of the data that is no mark. */
const isInScan = (mark: number): boolean => mark === 0 || (mark >= 0xd0 && mark <= 0xd7)

/** What cameras put behind a picture is another one. */
function isWholeJpeg(bytes: Buffer): boolean {
  let at = 0
  while (bytes.subarray(at, at + JPEG.length).equals(JPEG)) at = endOfJpeg(bytes, at)
  return at === bytes.length
}

/** Behind the mark of the end, to which segments lead from the beginning; beyond the file if none does. */
function endOfJpeg(bytes: Buffer, start: number): number {
  for (let at = start + 2; at + 2 <= bytes.length;) {
    const mark = bytes[at + 1]!
    if (bytes[at] !== MARK) break
    // Bytes between segments.
    if (mark === MARK) at += 1
    else if (mark === END) return at + 2
    else if (isInScan(mark)) break
    else {
      if (at + 4 > bytes.length) break
      at += 2 + bytes.readUInt16BE(at + 2)
      if (mark === SCAN) at = endOfScan(bytes, at)
    }
  }
  return bytes.length + 1
}

function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(MARK, start); at >= 0; at = bytes.indexOf(MARK, at + 1))
    if (!isInScan(bytes[at + 1] ?? 0)) return at
  return bytes.length
}
