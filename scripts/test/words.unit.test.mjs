/** Stale words stay out of what people read: documents, and the messages, help texts and titles of the code. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What is stale, and what to write instead. */
const STALE = [
  { pattern: /(?<![Tt]here )\b(?:is|are) no (?!longer|more|greener|one)[a-zA-Z]/, instead: 'is not a …' },
  { pattern: /(?<![Tt]here )\b(?:is|are) none\b/, instead: 'is not a …' },
  { pattern: /\balone\b/, instead: 'only, or by itself' },
  { pattern: /\bbeside\b/, instead: 'with, next to, in addition to' },
  {
    pattern: /\b(?:[Nn]ull|[Ee]mpty|[Uu]ndefined|[Nn]othing) where [a-z]|\bwhere there (?:is|are) /,
    instead: 'if',
  },
  { pattern: /\bstands under\b|\bsign no more\b/, instead: 'a verb that says what happens' },
]
/** Of documents only. */
const STALE_SENTENCE = { pattern: /(?:^|[.!] )(?:What|Whether) [a-z][^?:]*$/, instead: 'a subject first' }
/** Sentences of the code; titles may begin so. */
const STALE_MESSAGE = { pattern: /(?:^|[.!] )(?:What|Whether) [a-z][^?:]*\.$/, instead: 'a subject first' }
const STALE_DOCSTRING = /"""\s*(?:What|Whether) /
/** Descriptions of fields, calls and events name a thing, or begin with "True if". */
const STALE_DESCRIPTION = /(?:\b(?:describe|description|summary)[(:]|"doc":)\s*['"`](?:What|Whether) /
/** Decisions and measurements keep their words, and generated files have those of their sources. */
const LEFT_OUT =
  /^docs\/(?:adr|reference)\/|^docs\/(?:benchmarks|performance)\.md|\/generated\/|^packages\/bench\//
/** The tests of this rule, and the list of changes. */
const OWN = /words\.unit\.test\.mjs$|^CHANGELOG\.md$|^scripts\/sdk-types\.mts$/
const COMMENTS = /\/\*[^]*?\*\/|^\s*(?:\/\/|--).*$|\$\{[^}]*\}/gm
const STRINGS = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g
const MARKUP = />([^<>{}=;]+)</g
const PYTHON = /"""[^]*?"""|'[^'\n]*'|"[^"\n]*"/g
const KINDS = ['*.md', '*.ts', '*.tsx', '*.mts', '*.mjs', '*.py', 'docker-compose.yml', 'deploy/helm/*.yaml']

const files = execFileSync('git', ['ls-files', ...KINDS], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !LEFT_OUT.test(file))
  .filter((file) => !OWN.test(file))

test('documents and texts of the code have no stale words', () => {
  const stale = files.flatMap((file) =>
    textsOf(file, readFileSync(file, 'utf8')).flatMap((text) =>
      [...STALE, file.endsWith('.md') ? STALE_SENTENCE : STALE_MESSAGE]
        .filter(({ pattern }) => pattern.test(text))
        .map(({ instead }) => `${file}: ${text} → ${instead}`),
    ),
  )
  expect(stale).toEqual([])
})

test('no docstring begins with what or whether', () => {
  const modules = files.filter((file) => file.endsWith('.py'))
  expect(modules.filter((file) => STALE_DOCSTRING.test(readFileSync(file, 'utf8')))).toEqual([])
})

test('no description begins with what or whether', () => {
  const described = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.avsc'], { encoding: 'utf8' })
  const stale = described
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/released/'))
    .filter((file) => STALE_DESCRIPTION.test(readFileSync(file, 'utf8')))
  expect(stale).toEqual([])
})

test('a stale word is found in a string and in a document, and not in a comment or a name', () => {
  expect(textsOf('a.ts', "// Alone.\nconst alone = 'it is no list'").filter(isStale)).toEqual([
    "'it is no list'",
  ])
  expect(textsOf('a.md', 'There is no list.\nIt counts alone.').filter(isStale)).toEqual(['It counts alone.'])
})

/** @param {string} text */
const isStale = (text) => STALE.some(({ pattern }) => pattern.test(text))

/**
 * The lines of a document, or the strings of code that are more than one word.
 * @param {string} file
 * @param {string} text
 */
function textsOf(file, text) {
  if (/\.(?:md|ya?ml)$/.test(file)) return text.split('\n')
  const code = file.endsWith('.py') ? text : text.replace(COMMENTS, '')
  const strings = code.match(file.endsWith('.py') ? PYTHON : STRINGS) ?? []
  const shown = file.endsWith('.tsx') ? [...code.matchAll(MARKUP)].map(([, words]) => words.trim()) : []
  return [...strings, ...shown].filter((string) => string.includes(' '))
}
