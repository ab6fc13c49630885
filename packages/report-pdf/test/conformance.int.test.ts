/** What programs of others read in the PDFs: the text that a person would copy, and what the standard asks of an archive. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { visibleText } from '@cupel/report-document'
import { hostileTexts } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPresent } from './programs.js'
import { samples } from './samples.js'

const run = promisify(execFile)
const VERAPDF = 'org.verapdf.apps:greenfield-apps:1.28.2'
const JARS = fileURLToPath(new URL('../../../.cache/verapdf/1.28.2', import.meta.url))
const names = Object.keys(samples)

let folder: string
const fileOf = (name: string): string => join(folder, `${name}.pdf`)
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-pdf-'))
  for (const [name, render] of Object.entries(samples)) writeFileSync(fileOf(name), await render())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines break where a column ends, so white space does not count; poppler divides the lam-alef ligature in the wrong order. */
const withoutSpaces = (text: string): string =>
  text.replaceAll(/[\s\u200e\u200f\u202a-\u202e]/gu, '').replaceAll('لا', 'ال')

test.skipIf(!isPresent([['pdftotext', '-v']], 'the text of PDFs is not read back'))(
  'a reader that copies text gets every hostile string, with its invisible characters as numbers',
  async () => {
    const text = withoutSpaces(
      (await run('pdftotext', [fileOf('hostile'), '-'], { maxBuffer: 2 ** 26 })).stdout,
    )
    const lost = hostileTexts.filter((one) => !text.includes(withoutSpaces(expected(one))))
    expect(lost).toEqual([])
  },
)

/** No font of the document has the letters of Gothic. */
const expected = (text: string): string => visibleText(text).replace('\u{10348}', '[U+10348]')

const javaIsPresent = isPresent(
  [
    ['java', '-version'],
    ['mvn', '-version'],
  ],
  'PDFs are not validated as PDF/A-3b',
)

test.skipIf(!javaIsPresent)('every PDF is PDF/A-3b to veraPDF', async () => {
  if (!existsSync(JARS))
    await run('mvn', [
      '--batch-mode',
      '--quiet',
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy',
      `-Dartifact=${VERAPDF}`,
      `-DoutputDirectory=${JARS}`,
    ])
  const { stdout } = await run('java', [
    '-cp',
    join(JARS, '*'),
    'org.verapdf.apps.GreenfieldCliWrapper',
    ...['--flavour', '3b', '--format', 'text'],
    ...names.map(fileOf),
  ])
  expect(stdout.trim().split('\n').sort()).toEqual(names.map((name) => `PASS ${fileOf(name)} 3b`).sort())
})
