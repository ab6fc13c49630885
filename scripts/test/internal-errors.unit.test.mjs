// A line of a log or an answer of 500 leads to one place of the code: the text of each internal error, and of each line that a service logs as a
// warning or an error, stands in one place. So the text is the code that one searches for.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'

const NOT_PRODUCT =
  /\.(test|contract)\.tsx?$|\/test\/|\/generated\/|\/boundary-fixtures\/|\/scorer\/|^packages\/(testkit|system-tests|bench|sdk-|local-stack|domain\/scripts)/
const LEVELS = ['warn', 'error', 'fatal']
const HAS_TEXT = /\bnew Error\(|\blogger\.(?:warn|error|fatal)\(/

const files = execFileSync('git', ['ls-files', 'packages/*.ts', 'packages/*.tsx', 'services/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !NOT_PRODUCT.test(file))

test('the text of an internal error, and of a line of the log that names a fault, stands in one place', () => {
  const places = new Map()
  for (const found of files.flatMap((file) => textsIn(file, readFileSync(file, 'utf8'))))
    places.set(found.text, [...(places.get(found.text) ?? []), found])
  const repeated = [...places].filter(([, found]) => found.length > 1)
  expect(repeated.map(([text, found]) => `${text}: ${found.map(({ place }) => place).join(', ')}`)).toEqual(
    [],
  )
})

test('a repeated text is found, whatever it has of its values', () => {
  const code =
    "throw new Error(`No ${a} here`); logger.warn({ error }, 'It waits')\nfail(new Error(`No ${b} here`))"
  expect(textsIn('a.ts', code).map(({ text }) => text)).toEqual(['No … here', 'It waits', 'No … here'])
})

/** Each text without the values in it, and its place. */
function textsIn(file, code) {
  if (!HAS_TEXT.test(code)) return []
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    const argument = textArgumentOf(node)
    const text = argument === undefined ? null : textOf(argument)
    if (text !== null) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ text, place: `${file}:${line + 1}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The text of `new Error(text)` and of `logger.warn(fields, text)`. */
function textArgumentOf(node) {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Error') return node.arguments?.[0]
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  const { name, expression } = node.expression
  return LEVELS.includes(name.text) && /\blogger$/.test(expression.getText()) ? node.arguments[1] : undefined
}

/** Null for a text that is not written here. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return null
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
}
