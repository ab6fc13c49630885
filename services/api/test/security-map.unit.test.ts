/** Every test that docs/security.md names exists. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const map = readFileSync(new URL('docs/security.md', root), 'utf8')
const named = [...map.matchAll(/`([\w./-]+\.m?[jt]s)`: “([^”]+)”/g)].map(([, file, name]) => ({
  file: file!,
  name: name!,
}))

test('every test the security map names exists', () => {
  for (const { file, name } of named) {
    expect(existsSync(new URL(file, root)), file).toBe(true)
    // A table puts the values of its row first.
    const titles = titlesIn(withHelpers(file)).map((title) => (title.endsWith(name) ? name : title))
    expect(titles, file).toContain(name)
  }
})

test('no test is named in another form, which would not be checked', () => {
  const inTests = named.filter(({ file }) => file.includes('.test.'))
  expect(inTests.length).toBe([...map.matchAll(/\.test\.m?[jt]s/g)].length)
})

test('every paragraph of claims is followed by the tests that would notice their loss', () => {
  const claims = /## OWASP API Security Top 10 \(2023\)\n([^]*?)\n## ASVS/.exec(map)![1]!
  const blocks = claims
    .trim()
    .split('\n\n')
    .filter((block) => !block.startsWith('#'))
  const unproven = blocks.filter(
    (block, at) => !block.startsWith('- ') && !(blocks[at + 1] ?? '').startsWith('- '),
  )
  expect(unproven).toEqual([])
})

test('each of the ten API risks has a section with tests, or is a named gap', () => {
  for (let risk = 1; risk <= 10; risk += 1) {
    const section = new RegExp(`### API${risk} [^]*?(?=\\n##)`).exec(map)?.[0]
    expect(section, `API${risk}`).toBeDefined()
    expect(section!.includes('.test.ts') || section!.includes('see the gaps'), `API${risk}`).toBe(true)
  }
})

/** Points of ASVS 5.0 that matter most for an API of this kind. */
const POINTS = [
  ...['1.2.10', '1.3.6', '1.3.12', '1.5.3', '2.4.1'],
  ...['3.4.1', '3.4.2', '3.4.3', '3.4.4', '3.4.5', '3.4.6', '3.4.7', '3.4.8'],
  ...['4.1.1', '4.1.3', '4.2.1', '8.2.1', '8.2.2', '8.3.2', '8.4.1', '11.2.4', '11.5.1', '12.1.1'],
  ...['13.2.4', '13.2.5', '14.2.1', '15.1.3', '15.2.2', '15.2.5', '15.3.2', '15.3.4', '15.3.6'],
  ...['16.2.5', '16.4.1', '16.4.2', '16.4.3', '16.5.3'],
]

test('each of these points has tests, or is a named gap', () => {
  const [, mapped, gaps] = /## ASVS 5\.0([^]*)## Gaps([^]*)/.exec(map)!
  const rows = mapped!.split('\n').filter((line) => line.includes('.test.ts'))
  const points = [...rows.map((line) => line.split('|')[1]!), gaps!].flatMap(pointsIn)
  expect(POINTS.filter((point) => !points.includes(point))).toEqual([])
})

/** `3.4.3–3.4.6` stands for every point in that range. */
function pointsIn(text: string): string[] {
  return [...text.matchAll(/(\d+\.\d+\.)(\d+)(?:–\1(\d+))?/g)].flatMap(([, section, first, last]) =>
    Array.from(
      { length: Number(last ?? first) - Number(first) + 1 },
      (_, index) => `${section}${Number(first) + index}`,
    ),
  )
}

test('a test that does not run shows nothing, and neither does a part of a title', () => {
  const source =
    "test('one', f)\ntest.skip('two', f)\ntest.todo('three')\ndescribe.skip('four', f)\ntest.each([1])('%s five', f)"
  expect(titlesIn(source)).toEqual(['one', '%s five'])
})

/** The source of a file, and of the helpers next to it that it imports: some declare tests. */
function withHelpers(file: string): string {
  const source = readFileSync(new URL(file, root), 'utf8')
  const helpers = [...source.matchAll(/ from '\.\/([\w-]+)\.js'/g)].map(
    ([, name]) => new URL(`${name}.ts`, new URL(file, root)),
  )
  return [source, ...helpers.filter(existsSync).map((helper) => readFileSync(helper, 'utf8'))].join('\n')
}

/** Titles of tests that run, as the source has them: `%s` is the placeholder of a table. */
function titlesIn(source: string): string[] {
  return [
    ...source.matchAll(
      /\b(?:test|it|describe)(?:\.(?!skip\(|todo|fails)\w+)?\([^'"`]*?(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1|[\]),]\s*\)\(\s*(['"`])((?:(?!\3)[^\\\n]|\\.)+)\3/g,
    ),
  ].map((match) => match[2] ?? match[4]!)
}
