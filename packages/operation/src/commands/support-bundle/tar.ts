/** A .tar.gz in memory: files with names and texts, in the format that POSIX calls ustar. */
import { gzipSync } from 'node:zlib'

export interface TarFile {
  /** Relative, with slashes. */
  readonly name: string
  readonly text: string
}

const BLOCK_BYTES = 512
/** Longest name of a file in such an archive. */
const MAX_NAME_BYTES = 100
const OWNER_ONLY = 0o600

/** Throws if a name is too long for the format. */
export function tarGz(files: readonly TarFile[], modifiedAt: Date): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const body = Buffer.from(text)
    return [headerOf(name, body.length, modifiedAt), body, padding(body.length)]
  })
  // Two empty blocks end the archive.
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]))
}

const padding = (bytes: number): Buffer => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

function headerOf(name: string, bytes: number, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new RangeError(`${name} is too long for a name in an archive`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0)
  writeOctal(header, OWNER_ONLY, 100, 8)
  writeOctal(header, 0, 108, 8)
  writeOctal(header, 0, 116, 8)
  writeOctal(header, bytes, 124, 12)
  writeOctal(header, Math.floor(modifiedAt.getTime() / 1000), 136, 12)
  // The sum is made with spaces in its own place.
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  writeOctal(header, sum, 148, 7)
  return header
}

function writeOctal(header: Buffer, value: number, at: number, length: number): void {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
}
