/** docs/levels.md says of each code what page, PDF and command line say. */
import { readFileSync } from 'node:fs'
import { capReasons, notExaminedItems } from '@cupel/domain'
import { describe, expect, test } from 'vitest'
import { en } from './index.js'

const page = readFileSync(new URL('../../../../docs/levels.md', import.meta.url), 'utf8')

/** The cells of the row that begins with the code; of a table that has several such rows the first. */
const rowOf = (code: string): readonly string[] =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| \`${code}\` `))
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim()) ?? []

describe('the page of levels', () => {
  test.each(Object.keys(en.levelReasons))('says of %s what a report says, and what to do', (code) => {
    const rows = page.split('\n').filter((line) => line.startsWith(`| \`${code}\` `))
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    expect(cells).toContainEqual([`\`${code}\``, en.levelReasons[code], en.remedies[code]])
  })

  test.each(capReasons)('says of the limit %s what it is, and what to do', (code) => {
    const [, sentence, remedy] = rowOf(code)
    expect(remedy).toBe(en.points.lifts[code])
    for (const words of [sentence, remedy]) expect(words).toMatch(/^\p{Lu}.*\.$/u)
  })

  test.each(notExaminedItems)('says what it means that %s was not examined', (code) => {
    expect(page).toContain(`- **\`${code}\`**: `)
  })
})
