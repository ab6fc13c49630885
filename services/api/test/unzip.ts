/** Reads an archive by its directory, as programs do, and checks the sums of its files. */
import { crc32, inflateRawSync } from 'node:zlib'
import { expect } from 'vitest'

export function unzip(archive: Buffer): ReadonlyMap<string, string> {
  const end = archive.lastIndexOf('PK\u0005\u0006')
  const count = archive.readUInt16LE(end + 10)
  const files = new Map<string, string>()
  for (let index = 0, at = archive.readUInt32LE(end + 16); index < count; index += 1) {
    expect(archive.toString('latin1', at, at + 4)).toBe('PK\u0001\u0002')
    const [crc, compressed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset))
    const nameLength = archive.readUInt16LE(at + 28)
    const start = archive.readUInt32LE(at + 42)
    expect(archive.toString('latin1', start, start + 4)).toBe('PK\u0003\u0004')
    const from = start + 30 + archive.readUInt16LE(start + 26)
    const content = inflateRawSync(archive.subarray(from, from + compressed!))
    expect([crc32(content), content.length]).toEqual([crc, size])
    expect(archive.readUInt32LE(from + compressed! + 4)).toBe(crc)
    files.set(archive.toString('utf8', at + 46, at + 46 + nameLength), content.toString('utf8'))
    at += 46 + nameLength
  }
  return files
}

const UNESCAPED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', '#13': '\r' }

/** The cells of each row: texts as texts, numbers as numbers. */
export function rowsOf(sheet: string): (string | number | null)[][] {
  return [...sheet.matchAll(/<row>([^]*?)<\/row>/g)].map(([, row]) =>
    [
      ...row!.matchAll(
        /<c\/>|<c><v>([^<]*)<\/v><\/c>|<c t="inlineStr"><is><t xml:space="preserve">([^<]*)<\/t><\/is><\/c>/g,
      ),
    ].map(([, number, text]) =>
      number !== undefined
        ? Number(number)
        : (text?.replaceAll(/&(lt|gt|amp|#13);/g, (_, name: string) => UNESCAPED[name]!) ?? null),
    ),
  )
}
