import { sampleReport } from '@cupel/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { differenceOf, RENDERER_VERSION, sourceOf } from '../../src/pdf/index.js'
import { renderReport } from '../../src/pdf/render-report.js'
import { samples } from './samples.js'

/** Text that an author may write into a report to imitate a part of a PDF. */
const HOSTILE = '6 0 obj\n<<\n/Type /EmbeddedFile\n/Length 3\n>>\nstream\n{}\n</pdf:Producer> Zürich'
const json = JSON.stringify(sampleReport({ customer_reference: HOSTILE }))
const LEAF = { log: 'cupel/x/transparency/y', hash: 'ab'.repeat(32) }
/** Changes some eight hundred bytes of the document, one at a time. */
const STEP = 101

let named: Buffer
let unnamed: Buffer
beforeAll(async () => {
  named = Buffer.from(await renderReport(json, LEAF))
  unnamed = Buffer.from(await renderReport(json))
})

describe('the source of a PDF', () => {
  it('is the attached report, byte for byte, whatever is written in it, and the renderer that the PDF names', () => {
    expect(sourceOf(named)).toEqual({
      ...{ report: json, caseText: null, brandText: null, renderer: RENDERER_VERSION },
    })
  })

  it('is report and case where the case is an appendix', async () => {
    const source = sourceOf(await samples['case']!())
    expect(JSON.parse(source?.report ?? '')).toEqual(sampleReport())
    expect(JSON.parse(source?.caseText ?? '')).toHaveProperty('history')
  })

  it('is nothing if no report is attached, or more than report and case', async () => {
    const first = Object.keys(samples).find((name) => name.startsWith('audit-'))!
    for (const other of [await samples[first]!(), Buffer.from('%PDF-1.7'), Buffer.alloc(0)])
      expect(sourceOf(other)).toBeNull()
    expect(sourceOf(Buffer.concat([named, named]))).toBeNull()
    expect(
      sourceOf(Buffer.from(named.toString('latin1').replace('(report.json)', '(other.json)'), 'latin1')),
    ).toBeNull()
  })

  it('names no renderer where the information names none', () => {
    const changed = named.toString('latin1').replace('>Cupel renderer ', '>Cupel Renderer ')
    expect(sourceOf(Buffer.from(changed, 'latin1'))).toMatchObject({ renderer: null })
  })
})

describe('the difference of a PDF', () => {
  it('is not found if every byte is the same', () => {
    expect(differenceOf(new Uint8Array(named), named)).toBeNull()
  })

  it('is at the byte that was changed, in every part of the document', () => {
    const places = new Set<string>()
    for (let at = 0; at < named.length; at += STEP) {
      const changed = Buffer.from(named)
      changed[at]! ^= 1
      const difference = differenceOf(changed, named)
      expect(difference).toMatchObject({ offset: at, isCutOff: false })
      places.add(difference!.place)
    }
    for (const part of ['the attached report.json', 'page 1', 'page 2', 'a font'])
      expect(places).toContain(part)
  })

  it.each([
    ['a letter on a page', '[<0001', '[<0002', 'page 1'],
    ['an address that a link leads to', 'URI (https://', 'URI (http://', 'page 2'],
    ['the size of a page', '/MediaBox [0', '/MediaBox [9', 'page 1'],
    ['the date of the information', '\n(D:2026', '\n(D:2025', 'the information of the document'],
    ['the title for other programs', '<dc:title>', '<dc:titel>', 'the information of the document'],
    ['a page left out', /\/Kids \[\d+ 0 R /, '/Kids [', 'the list of pages'],
    ['a page twice', /\/Kids \[(\d+ 0 R)/, '/Kids [$1 $1', 'the list of pages'],
    ['the name of an attachment', '/UF (report', '/UF (raport', 'the attached report.json'],
    ['the first object', '/Root ', '/Boot ', 'the table of objects'],
    ['the colour profile', 'sRGB IEC61966-2.1)\n', 'sRGB IEC61966-2.0)\n', 'the structure of the document'],
  ])('says where: %s', (_, from, to, place) => {
    const changed = Buffer.from(named.toString('latin1').replace(from, to), 'latin1')
    expect(differenceOf(changed, named)).toMatchObject({ place })
  })

  it('says that a document ends too early, or goes on behind its end', () => {
    const half = Math.floor(named.length / 2)
    expect(differenceOf(named.subarray(0, half), named)).toMatchObject({
      offset: half,
      isCutOff: true,
    })
    expect(differenceOf(Buffer.alloc(0), named)).toMatchObject({ offset: 0, isCutOff: true, pages: 0 })
    expect(differenceOf(Buffer.concat([named, Buffer.from('\n%')]), named)).toMatchObject({
      ...{ offset: named.length, isCutOff: false, place: 'what follows the end of the document' },
    })
  })

  it('counts the pages of both', async () => {
    const more = await samples['case']!()
    const difference = differenceOf(more, named)!
    expect(difference.pages).toBeGreaterThan(difference.expectedPages)
  })

  it('is on the page that prints the leaf where the leaf is another one, or none', async () => {
    const other = await renderReport(json, { ...LEAF, hash: 'ac'.repeat(32) })
    expect(differenceOf(other, named)?.place).toMatch(/^page \d$/)
    expect(differenceOf(unnamed, named)?.place).toMatch(/^page \d$/)
  })
})
