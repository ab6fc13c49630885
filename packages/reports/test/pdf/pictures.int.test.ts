/** Pages as a reader sees them, compared with approved pictures: a digest does not show which part a layout change breaks. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { comparePicture } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPresent } from './programs.js'
import { samples } from './samples.js'

const run = promisify(execFile)
/** Pixels of an inch: text is a shape at this resolution, and the files are small. */
const RESOLUTION = '40'
/** The PDFs contain the fonts; versions of the program smooth edges differently. */
const MAX_DIFFERENT = 0.004
const shown: readonly (readonly [string, number])[] = [
  ...(
    [
      'red',
      'orange',
      'green',
      'grey',
      'sandbox',
      'hostile',
      'bulk-mixed',
      'bulk-large',
      'audit-proven',
      'audit-differs',
    ] as const
  ).map((name) => [name, 1] as const),
  ['flow', 2],
  ['orange', 2],
  ['huge', 2],
]

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'cupel-pictures-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!isPresent([['pdftoppm', '-v']], 'PDFs are not compared with approved pictures')).each(shown)(
  '%s, page %i, looks as approved',
  async (name, page) => {
    const file = join(folder, `${name}.pdf`)
    writeFileSync(file, await samples[name]!())
    const stem = join(folder, `${name}-${page}`)
    const options = ['-png', '-r', RESOLUTION, '-f', String(page), '-l', String(page), '-singlefile']
    await run('pdftoppm', [...options, file, stem])
    const approved = fileURLToPath(new URL(`pictures/${name}-${page}.png`, import.meta.url))
    const { fault } = comparePicture(readFileSync(`${stem}.png`), { approved, maxDifferent: MAX_DIFFERENT })
    expect(fault).toBeNull()
  },
)
