import { createRequire } from 'node:module'
import { afterAll, describe, expect, it } from 'vitest'
import { fontFiles, reuseParsedFonts } from './fonts.js'
import { takeLayoutShortcuts } from './layout-shortcuts.js'
import { loadLayoutClasses, loadPdfMake } from './pdfmake.js'

/** Renders before the shortcuts are installed, because they apply to the whole process. */
const rendered = async (content: readonly object[]): Promise<string> => {
  const definition = {
    content: structuredClone(content),
    compress: false,
    defaultStyle: { font: 'text', fontSize: 9, lineHeight: 1.1 },
    info: { creationDate: new Date(0), modDate: new Date(0) },
  }
  return (await loadPdfMake().createPdf(definition).getBuffer()).toString('latin1')
}

const squaresOf = (qr: string) => {
  const { _canvas: canvas } = loadLayoutClasses().qrEncoder.measure({ qr, fit: 76, eccLevel: 'M' })
  const squares = canvas.flatMap((one) => ('squares' in one ? one.squares : [one]))
  return squares.reduce((sum, { w, h }) => sum + w * h, 0)
}

const QR_TEXT = 'https://cupel.example.com/reports/9f2c4a1be07d6358'
const words = ['One', 'two  three', ' four ']
const styled = [
  { text: words.map((text, index) => ({ text, bold: index === 1 })), fontSize: 11, alignment: 'right' },
  { stack: [{ text: 'nested', color: '#A3161A', noWrap: true }], margin: [10, 5, 0, 5] },
  { table: { widths: [80, '*'], body: [['a cell that is broken', { text: 'b', alignment: 'center' }]] } },
]
/** Positions of the first word of every text: `1 0 0 1 x y Tm`. */
const placesOf = (pdf: string): Set<string> => new Set(pdf.match(/^1 0 0 1 \S+ \S+ Tm$/gm))

/** Another test of this process may have installed them, so the library is loaded again. */
const { cache } = createRequire(import.meta.url)
const loaded = Object.entries(cache).filter(([file]) => /[\\/](?:pdfmake|pdfkit|fontkit)[\\/]/.test(file))
for (const [file] of loaded) Reflect.deleteProperty(cache, file)
afterAll(() => {
  for (const [file, module] of loaded) cache[file] = module
})

describe('the shortcuts', async () => {
  loadPdfMake().setFonts(fontFiles)
  reuseParsedFonts()
  const before = { pdf: await rendered(styled), area: squaresOf(QR_TEXT) }
  takeLayoutShortcuts()
  const after = { pdf: await rendered(styled), area: squaresOf(QR_TEXT) }

  it('put text where the library puts it, in fewer pieces', () => {
    const [all, fewer] = [placesOf(before.pdf), placesOf(after.pdf)]
    expect(fewer.size).toBeGreaterThan(5)
    expect(fewer.size).toBeLessThan(all.size)
    for (const place of fewer) expect(all).toContain(place)
  })

  it('draw all dark squares of a QR code', () => {
    expect(after.area).toBe(before.area)
    expect(after.area).toBeGreaterThan(76 * 76)
  })

  it('begin a new page for a heading that would stand at the end of one, and for no other', async () => {
    const pages = async (lines: number, last: object): Promise<number> => {
      const pdf = await rendered([...Array.from({ length: lines }, () => ({ text: 'line' })), last])
      return pdf.match(/\/Type \/Page\n/g)!.length
    }
    let lines = 40
    while ((await pages(lines + 1, { text: 'line' })) === 1) lines += 1
    expect(await pages(lines, { text: 'line' })).toBe(1)
    expect(await pages(lines, { text: 'heading', headlineLevel: 1 })).toBe(2)
    expect(await pages(10, { text: 'heading', headlineLevel: 1 })).toBe(1)
  })
})
