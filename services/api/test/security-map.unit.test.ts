/** docs/security.md names tests, and every test it names exists. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const map = readFileSync(new URL('docs/security.md', root), 'utf8')
const named = [...map.matchAll(/`([\w./-]+\.test\.ts)`: “([^”]+)”/g)].map(([, file, name]) => ({
  file: file!,
  name: name!,
}))

test('every test the security map names exists', () => {
  for (const { file, name } of named) {
    expect(existsSync(new URL(file, root)), file).toBe(true)
    expect(titlesIn(readFileSync(new URL(file, root), 'utf8')), file).toContainEqual(
      expect.stringContaining(name),
    )
  }
})

test('no test is named in another form, which would not be checked', () => {
  expect(named.length).toBe([...map.matchAll(/\.test\.ts/g)].length)
})

test('each of the ten API risks has a section with tests, or is a named gap', () => {
  for (let risk = 1; risk <= 10; risk += 1) {
    const section = new RegExp(`### API${risk} [^]*?(?=\\n##)`).exec(map)?.[0]
    expect(section, `API${risk}`).toBeDefined()
    expect(section!.includes('.test.ts') || section!.includes('see the gaps'), `API${risk}`).toBe(true)
  }
})

/** Titles of tests and groups, as they are written: `%s` stands where a table fills in. */
function titlesIn(source: string): string[] {
  return [
    ...source.matchAll(
      /(?:test|describe)(?:\.\w+)?\([^'"`]*?(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1|\]\)\(\s*(['"`])((?:(?!\3)[^\\\n]|\\.)+)\3/g,
    ),
  ].map((match) => match[2] ?? match[4]!)
}
