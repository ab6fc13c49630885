/** A file is one thing: what a second reader could take for another one is refused. */
import { crc32, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { judgeFile } from './judge-file.js'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const PDF = '%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n'
const ARCHIVE = `PK\u0003\u0004${'\0'.repeat(26)}PK\u0005\u0006${'\0'.repeat(18)}`
const PAGE = '<html><script>alert(1)</script></html>'

function chunk(name: string, data: Buffer | string, sum?: number): Buffer {
  const named = Buffer.concat([latin1(name), Buffer.from(data)])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(named.length - 4)
  frame.writeUInt32BE(sum ?? crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

const HEAD = chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
const IMAGE = chunk('IDAT', deflateSync(Buffer.from([0, 0])))
const END = chunk('IEND', '')
const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), ...chunks])

const segment = (mark: number, data: string): Buffer => {
  const head = Buffer.from([0xff, mark, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, latin1(data)])
}
const SCAN = Buffer.concat([segment(0xda, '\x01\x01\x00\x00\x3f\x00'), latin1('abc\xff\x00d\xff\xd0e')])
const jpeg = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([latin1('\xff\xd8'), segment(0xe0, 'JFIF\0'), ...parts, latin1('\xff\xd9')])

test.each([
  ['a PDF', latin1(PDF), 'application/pdf'],
  ['a PDF that was added to', latin1(`${PDF}2 0 obj\nendobj\n%%EOF\r\n`), 'application/pdf'],
  ['a PNG', png(HEAD, IMAGE, END), 'image/png'],
  ['a PNG with a text', png(HEAD, chunk('tEXt', 'Comment\0A receipt'), IMAGE, IMAGE, END), 'image/png'],
  ['a JPEG', jpeg(SCAN), 'image/jpeg'],
  ['a JPEG of several scans', jpeg(SCAN, segment(0xc4, 'table'), SCAN), 'image/jpeg'],
  ['a JPEG with bytes between its segments', jpeg(latin1('\xff\xff'), SCAN), 'image/jpeg'],
  ['a JPEG with a smaller one behind it', Buffer.concat([jpeg(SCAN), jpeg(SCAN)]), 'image/jpeg'],
  ['a text', Buffer.from('Ein Vertrag über 5 €'), 'text/plain'],
  ['a text that tells of a PDF', Buffer.from(`${'a'.repeat(1_100)} %PDF-1.7`), 'text/plain'],
])('%s is what it is', (_what, bytes, mediaType) => {
  expect(judgeFile(bytes)).toMatchObject({ ok: true, mediaType })
})

test.each([
  ['a text with a PDF in its beginning', Buffer.from(`A letter\n${PDF}`)],
  ['a PNG with a PDF in a text', png(HEAD, chunk('tEXt', `Comment\0${PDF}`), IMAGE, END)],
  ['a PNG with a page in the sum of its end', png(HEAD, IMAGE, chunk('IEND', '', 0x3c68743e))],
  ['a PNG with a page in the sum of a text', png(HEAD, chunk('tEXt', 'a', 0x3c68743e), IMAGE, END)],
  ['a PNG that begins with something else', png(chunk('tEXt', PAGE), HEAD, IMAGE, END)],
  ['a PNG with two heads', png(HEAD, HEAD, IMAGE, END)],
  ['a PNG without an image', png(HEAD, chunk('tEXt', PAGE), END)],
  ['a PNG whose chunk is longer than the file', png(HEAD, IMAGE.subarray(0, -1))],
  ['a JPEG with a PDF in a comment', jpeg(segment(0xfe, PDF), SCAN)],
  [
    'a JPEG with a page behind it that ends as a JPEG',
    Buffer.concat([jpeg(SCAN), latin1(`${PAGE}\xff\xd9`)]),
  ],
  ['a JPEG that is a page between two marks', latin1(`\xff\xd8\xff${PAGE}\xff\xd9`)],
  ['a JPEG with a page between its segments', jpeg(latin1(PAGE), SCAN)],
  ['a JPEG whose segment leads out of it', jpeg(segment(0xfe, PAGE).fill(0xee, 2, 4))],
  ['a JPEG without an end', jpeg(SCAN).subarray(0, -2)],
  ['a PDF in a PDF', latin1(`%PDF-1.4\n${PDF}`)],
  ['a PDF with an archive in it', latin1(`%PDF-1.7\n${ARCHIVE}\n%%EOF\n`)],
  ['a PNG with an archive in a text', png(HEAD, chunk('tEXt', `a\0${ARCHIVE}`), IMAGE, END)],
  ['a JPEG with an archive in a comment', jpeg(segment(0xfe, ARCHIVE), SCAN)],
])('%s is refused', (_what, bytes) => {
  expect(judgeFile(bytes)).toEqual({ ok: false, because: 'more' })
})

test.each([
  '\xff\xd8\xff',
  '\xff\xd8\xff\xe0',
  '\xff\xd8\xff\xe0\0',
  '\xff\xd8\xff\xda\0\x02',
  '\x89PNG\r\n\x1a\n\0',
])('a beginning without more is refused: %j', (text) => {
  expect(judgeFile(latin1(text))).toEqual({ ok: false, because: 'more' })
})
