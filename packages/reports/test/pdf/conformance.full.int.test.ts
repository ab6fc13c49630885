/** Other programs read the PDFs: the text that a person would copy, and the requirements of the standard for archives. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { visibleText } from '../../src/document/writing.js'
import { drawnWithin, fewestCases, hostileReports, hostileTexts } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fontFiles, hasGlyph, type FontName } from '../../src/pdf/fonts.js'
import { renderReport } from '../../src/pdf/render-report.js'
import { isPresent } from './programs.js'
import { samples } from './samples.js'

const run = promisify(execFile)
const VERAPDF = 'org.verapdf.apps:greenfield-apps:1.28.2'
const JARS = fileURLToPath(new URL('../../../../.cache/verapdf/1.28.2', import.meta.url))
const names = Object.keys(samples)

let folder: string
const fileOf = (name: string): string => join(folder, `${name}.pdf`)
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-pdf-'))
  for (const [name, render] of Object.entries(samples)) writeFileSync(fileOf(name), await render())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines break at the end of a column, so white space does not count; poppler divides the lam-alef ligature in the wrong order. */
const withoutSpaces = (text: string): string =>
  text.replaceAll(/[\s\u200e\u200f\u202a-\u202e]/gu, '').replaceAll('لا', 'ال')

test
  .skipIf(!isPresent([['pdftotext', '-v']], 'the text of PDFs is not read back'))
  .each(['hostile', 'case', 'audit-hostile'])(
  'a reader that copies text gets every hostile string of %s, with its invisible characters as numbers',
  async (name) => {
    const text = withoutSpaces((await run('pdftotext', [fileOf(name), '-'], { maxBuffer: 2 ** 26 })).stdout)
    const lost = hostileTexts.filter((one) => !text.includes(withoutSpaces(expected(one))))
    expect(lost).toEqual([])
  },
)

const HOSTILE_SEED = 20261122
const HOSTILE_STRINGS = fewestCases({ full: 5_000, minimum: 400, demanded: 5_000 })
const fonts = Object.keys(fontFiles) as FontName[]
/** A character that no font has appears as its number. */
const shownText = (text: string): string =>
  [...visibleText(text)]
    .map((one) => {
      const codePoint = one.codePointAt(0)!
      if (/\s/u.test(one) || fonts.some((font) => hasGlyph(font, codePoint))) return one
      return `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`
    })
    .join('')
/** Readers combine letters with their accents, and split ligatures. */
const comparable = (text: string): string =>
  withoutSpaces(text)
    .replaceAll(/[\ufe00-\ufe0f]/g, '')
    .normalize('NFKC')

/** Length of the shortest piece that proves that a text is there. */
const MIN_PIECE = 6

/** Whether a text is there as a whole or line by line: a reader may put lines of the next column between the lines of a cell. */
function isRead(texts: readonly string[], wanted: string): boolean {
  let rest = wanted
  while (rest !== '') {
    let length = rest.length
    while (
      length >= Math.min(MIN_PIECE, rest.length) &&
      !texts.some((text) => text.includes(rest.slice(0, length)))
    )
      length -= 1
    if (length < Math.min(MIN_PIECE, rest.length)) return false
    rest = rest.slice(length)
  }
  return true
}

/** Right-to-left letters of a text, which readers copy in print order or in reading order; empty for other texts. */
const rightToLeft = (text: string): string =>
  /[\p{Script=Arabic}\p{Script=Hebrew}]{3}/u.test(text) ? text.replaceAll(/[^\p{L}]/gu, '') : ''

function isShown(texts: readonly string[], text: string): boolean {
  const letters = comparable(rightToLeft(text))
  if (letters === '') return isRead(texts, comparable(shownText(text)))
  return [letters, [...letters].reverse().join('')].some((one) => texts.some((all) => all.includes(one)))
}

test.skipIf(!isPresent([['pdftotext', '-v']], 'hostile strings are not read back'))(
  'every hostile string can be read in the PDF, and starts nothing in it',
  async () => {
    const lost: string[] = []
    let read = 0
    for (const [index, { report, strings }] of hostileReports(HOSTILE_STRINGS, HOSTILE_SEED).entries()) {
      const pdf = await renderReport(JSON.stringify(report))
      const file = join(folder, `hostile-${index}.pdf`)
      writeFileSync(file, pdf)
      // Lines of one cell follow one another in writing order; right-to-left words are read in page order.
      const orders = [['-raw'], []].map((order) =>
        run('pdftotext', [...order, file, '-'], { maxBuffer: 2 ** 26 }),
      )
      const texts = (await Promise.all(orders)).map(({ stdout }) => comparable(stdout))
      lost.push(...strings.filter((one) => !isShown(texts, one)))
      read += strings.length
      const source = Buffer.from(pdf).toString('latin1')
      for (const name of ['JavaScript', 'Launch', 'AcroForm', 'OpenAction', 'AA', 'SubmitForm', 'GoToR'])
        expect(source).not.toMatch(new RegExp(`^/(?:S /)?${name}\\b`, 'm'))
    }
    expect(read).toBeGreaterThanOrEqual(HOSTILE_STRINGS)
    expect(lost).toEqual([])
  },
  1_800_000,
)

/** No font of the document contains Gothic letters. */
const expected = (text: string): string => visibleText(text).replace('\u{10348}', '[U+10348]')

const javaIsPresent = isPresent(
  [
    ['java', '-version'],
    ['mvn', '-version'],
  ],
  'PDFs are not validated as PDF/A-3b and PDF/UA-1',
)

test.skipIf(!javaIsPresent).each([
  ['PDF/A-3b', '3b'],
  ['PDF/UA-1', 'ua1'],
])('every PDF is %s to veraPDF', async (_, flavour) => {
  const validated = drawnWithin({ name: 'PDFs before veraPDF', minimum: 2 }, names)
  if (!existsSync(JARS)) await fetchJars()
  const { stdout } = await run('java', [
    // The program ends before its optimising compiler pays off.
    ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    '-cp',
    join(JARS, '*'),
    'org.verapdf.apps.GreenfieldCliWrapper',
    ...['--flavour', flavour, '--format', 'text'],
    ...validated.map(fileOf),
  ])
  expect(stdout.trim().split('\n').sort()).toEqual(
    validated.map((name) => `PASS ${fileOf(name)} ${flavour}`).sort(),
  )
})

/** Tries again when a repository fails once. */
async function fetchJars(tries = 3): Promise<void> {
  try {
    await run('mvn', [
      '--batch-mode',
      '--quiet',
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy',
      `-Dartifact=${VERAPDF}`,
      `-DoutputDirectory=${JARS}`,
    ])
  } catch (error) {
    rmSync(JARS, { recursive: true, force: true })
    if (tries === 1) throw error
    await fetchJars(tries - 1)
  }
}
