/** Judges what a file is by its bytes. Its name counts for nothing, and a file that is two things at once is refused. */
import { isUtf8 } from 'node:buffer'

export type JudgedFile =
  | { readonly ok: true; readonly mediaType: string; readonly ending: string }
  | { readonly ok: false; readonly because: 'empty' | 'unknown' | 'more' }

const PDF = Buffer.from('%PDF-')
const PDF_END = Buffer.from('%%EOF')
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const JPEG_END = Buffer.from([0xff, 0xd9])
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
  return found.isWhole(bytes) && !bytes.subarray(-ZIP_TAIL).includes(ZIP_END)
    ? { ok: true, mediaType, ending }
    : { ok: false, because: 'more' }
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
  {
    ...{ mediaType: 'image/jpeg', ending: 'jpg', begins: startsWith(JPEG) },
    isWhole: (bytes: Buffer): boolean => bytes.subarray(-JPEG_END.length).equals(JPEG_END),
  },
  {
    ...{ mediaType: 'text/plain', ending: 'txt' },
    begins: (bytes: Buffer): boolean => isUtf8(bytes) && !CONTROL.test(bytes.toString('utf8')),
    isWhole: (): boolean => true,
  },
]

const CHUNK_FRAME = 12
const CHUNK_NAME = 4

/** Chunks follow each other, and the last one, which is empty, ends the file. */
function isWholePng(bytes: Buffer): boolean {
  for (let at = PNG.length; at + CHUNK_FRAME <= bytes.length;) {
    const name = bytes.toString('latin1', at + CHUNK_NAME, at + 2 * CHUNK_NAME)
    const size = bytes.readUInt32BE(at)
    at += CHUNK_FRAME + size
    if (name === 'IEND') return size === 0 && at === bytes.length
  }
  return false
}
