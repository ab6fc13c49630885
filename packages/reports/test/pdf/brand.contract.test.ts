/** The operator's name and logo on a PDF: plain images only, named by the document, and the same bytes each time. */
import { deflateSync } from 'node:zlib'
import { sampleReport } from '@cupel/testkit'
import { afterAll, describe, expect, test } from 'vitest'
import {
  brandOf,
  BrandError,
  createPdfRenderer,
  differenceOf,
  parseBrand,
  sourceOf,
} from '../../src/pdf/index.js'
import { MAX_LOGO_BYTES } from '../../src/pdf/brand.js'

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><title>A logo</title><rect width="20" height="10" fill="#1d4e89"/><path d="M2 2 L8 8" stroke="white" stroke-width="2"/></svg>`

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length, 0)
  head.write(name, 4, 'latin1')
  // The checksum is not read by anybody here.
  return Buffer.concat([head, data, Buffer.alloc(4)])
}

function png({
  width = 4,
  height = 2,
  depth = 8,
  colour = 2,
  interlace = 0,
  more = [] as Buffer[],
} = {}): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, colour, 0, 0, interlace], 8)
  const rows = Buffer.alloc(height * (1 + width * 3), 0x55)
  for (let row = 0; row < height; row += 1) rows[row * (1 + width * 3)] = 0
  return Buffer.concat([
    ...[Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', head), ...more],
    ...[chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ])
}

const own = createPdfRenderer({ workers: 1, brand: brandOf('Example Bank', Buffer.from(SVG)) })
const plain = createPdfRenderer({ workers: 1 })
afterAll(async () => void (await Promise.all([own.close(), plain.close()])))
const json = JSON.stringify(sampleReport())

test('a document names its brand, and whoever has it makes the same bytes without the settings', async () => {
  const shown = await own.render(json, null)
  const { brandText, report } = sourceOf(shown)!
  expect(report).toBe(json)
  expect(JSON.parse(brandText!)).toMatchObject({ name: 'Example Bank', logo: { kind: 'svg' } })
  expect(differenceOf(shown, await plain.render(json, null, undefined, parseBrand(brandText!)))).toBeNull()
  const other = { ...parseBrand(brandText!), name: 'Another Bank' }
  expect(differenceOf(shown, await plain.render(json, null, undefined, other))).not.toBeNull()
  const without = await plain.render(json, null)
  expect(sourceOf(without)!.brandText).toBeNull()
  expect([own.brandText === '', plain.brandText]).toEqual([false, ''])
})

test('a PNG is drawn', async () => {
  const shown = await plain.render(json, null, undefined, brandOf('', png()))
  expect(Buffer.from(shown).toString('latin1')).toContain('/Subtype /Image')
})

describe('a logo is an image and nothing else', () => {
  test.each<[string, Buffer | string]>([
    ['a script', SVG.replace('<rect', '<script>alert(1)</script><rect')],
    ['a style sheet', SVG.replace('<rect', '<style>@import url(https://example.org)</style><rect')],
    ['an image from elsewhere', SVG.replace('<rect', '<image href="https://example.org/a.png"/><rect')],
    ['a reference in a colour', SVG.replace('#1d4e89', 'url(https://example.org)')],
    ['a handler', SVG.replace('<rect', '<rect onload="alert(1)"')],
    ['an entity', SVG.replace('A logo', '&xxe;')],
    ['a document type', `<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`],
    ['text', SVG.replace('<rect', 'words<rect')],
    ['a font', SVG.replace('<rect', '<text>words</text><rect')],
    ['elements that do not match', SVG.replace('</svg>', '</g>')],
    ['a cut off SVG', SVG.replace('</svg>', '')],
    ['something behind it', `${SVG}<svg/>`],
    ['a page', '<html></html>'],
    ['too many bytes', SVG.replace('A logo', 'A'.repeat(MAX_LOGO_BYTES))],
    ['transparency', png({ colour: 6 })],
    ['transparency by a chunk', png({ more: [chunk('tRNS', Buffer.alloc(6))] })],
    ['16 bits', png({ depth: 16 })],
    ['interlacing', png({ interlace: 1 })],
    ['a huge area', png({ width: 2_001, height: 1 })],
    ['a cut off PNG', png().subarray(0, -20)],
    ['a compressed text of any size', png({ more: [chunk('zTXt', Buffer.alloc(9))] })],
  ])('%s is refused', (_what, logo) => {
    expect(() => brandOf('', Buffer.from(logo))).toThrow(BrandError)
  })

  test('and a name is a short line', () => {
    expect(() => brandOf('a'.repeat(81), null)).toThrow(BrandError)
    expect(() => brandOf('a\u202eb', null)).toThrow(BrandError)
    expect(() => parseBrand('{"logo":null}')).toThrow(BrandError)
  })
})
