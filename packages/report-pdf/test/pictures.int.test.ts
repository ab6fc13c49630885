/** Pages as a reader sees them, compared with approved pictures: what a change of the layout breaks, a digest does not show. */
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
/** Points of an inch are 72 pixels of it at this resolution: text is a shape, and the files are small. */
const RESOLUTION = '40'
/** Fonts are in the PDFs; versions of the program smooth edges differently. */
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
  ['orange', 4],
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
