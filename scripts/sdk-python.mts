// Generates parts of the Python SDK: models from docs/reference/openapi.json, a class for each problem code, and the synchronous
// client from the asynchronous one. `--check` fails on a stale file. It needs no Python.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { problemCodes } from '../packages/contracts/src/index.js'
import { classOfCode, classOfStatus } from './sdk-errors.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = 'packages/sdk-python/src/cupel'
const check = process.argv.includes('--check')

/** Types that the client returns: those that its methods import. The types of their parts are generated too. */
const ROOTS = [...new Set(readAsync().flatMap(([, text]) => importedModels(text)))].sort()
const KEYWORDS = new Set([
  'from',
  'in',
  'is',
  'not',
  'class',
  'global',
  'import',
  'or',
  'and',
  'def',
  'for',
  'pass',
])

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

/** A Python type, and how to make the objects in it. */
interface PythonType {
  readonly name: string
  readonly part?: string
  readonly isRecord?: boolean
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

const document = JSON.parse(readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
/** Texts of the classes. Each class comes after the classes of its parts. */
const classes = new Map<string, string>()

function defineClass(name: string, schema: Schema): void {
  if (classes.has(name)) return
  const fields = Object.entries(schema.properties ?? {}).map(([json, field]) => ({
    json,
    field,
    type: typeOf(field, name + pascal(json)),
    isOptional: !(schema.required ?? []).includes(json),
  }))
  const parts = fields.filter(({ type }) => type.part !== undefined)
  const lines = [
    `class ${name}(Model):`,
    ...docLines(schema.description),
    '    __slots__ = ()',
    ...constant(
      '_parts',
      parts.map(({ json, type }) => `"${json}": ${type.part}`),
    ),
    ...constant(
      '_records',
      fields.filter(({ type }) => type.isRecord).map(({ json }) => `"${json}"`),
      'frozenset',
    ),
    ...constant(
      '_optional',
      fields.filter(({ isOptional }) => isOptional).map(({ json }) => `"${json}"`),
      'frozenset',
    ),
    '',
    ...fields.flatMap(({ json, field, type, isOptional }) => [
      `    ${pythonName(json)}: ${isOptional ? optional(type.name) : type.name}`,
      ...docLines(field.description),
    ]),
  ]
  classes.set(name, `${lines.join('\n')}\n`)
}

function typeOf(schema: Schema, nested: string): PythonType {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    defineClass(name, document.components.schemas[name]!)
    return { name, part: name }
  }
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((one) => typeOf(one, nested)))
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: string) => typeOf({ ...schema, type }, nested)))
  if (schema.type === 'array') {
    const item = typeOf(schema.items!, nested)
    return { ...item, name: `tuple[${item.name}, ...]` }
  }
  if (schema.properties !== undefined) {
    defineClass(nested, schema)
    return { name: nested, part: nested }
  }
  if (typeof schema.additionalProperties === 'object') {
    const value = typeOf(schema.additionalProperties, nested)
    return { ...value, name: `Mapping[str, ${value.name}]`, isRecord: true }
  }
  if (schema.type === 'object') return { name: 'Mapping[str, Any]' }
  if (schema.type === undefined) return { name: 'Any' }
  const primitive = PRIMITIVES[schema.type as string]
  if (primitive === undefined) throw new Error(`${nested} has a schema without a type of Python.`)
  return { name: primitive }
}

function union(types: readonly PythonType[]): PythonType {
  const whole = types.filter(({ part, isRecord }) => part !== undefined || isRecord)
  if (whole.length > 1) throw new Error('A union of objects has no class of Python.')
  // None comes last, as is usual in Python.
  const names = [...new Set(types.map(({ name }) => name))].sort((a) => (a === 'None' ? 1 : -1))
  return { ...whole[0], name: names.join(' | ') }
}

const optional = (type: string): string => (/\bNone$/.test(type) ? type : `${type} | None`)
const pythonName = (json: string): string => (KEYWORDS.has(json) ? `${json}_` : json)
const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

function constant(name: string, entries: readonly string[], wrapper = ''): string[] {
  if (entries.length === 0) return []
  const [open, close] = wrapper === '' ? ['{', '}'] : [`${wrapper}({`, '})']
  return [`    ${name} = ${open}`, ...entries.map((entry) => `        ${entry},`), `    ${close}`]
}

function docLines(description: string | undefined): string[] {
  if (description === undefined) return []
  const text = description.replaceAll('\\', '\\\\').replaceAll('"""', "'''")
  const sentence = /[.!?)`]$/.test(text) ? text : `${text}.`
  return [`    """${sentence}"""`]
}

function models(): string {
  for (const name of ROOTS) defineClass(name, document.components.schemas[name]!)
  return `"""
Objects of the API, with its names. Generated from docs/reference/openapi.json by \`npm run generate\`. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._model import Model

__all__ = [
${[...classes.keys()]
  .filter((name) => name in document.components.schemas)
  .sort()
  .map((name) => `    "${name}",\n`)
  .join('')}]


${[...classes.values()].join('\n\n')}`
}

function problemErrors(): string {
  const all = Object.entries(problemCodes)
  const own = all.filter(([code, { status }]) => classOfCode(code) !== classOfStatus(status))
  const parents = [...new Set(['ApiError', ...all.map(([, { status }]) => classOfStatus(status))])].sort()
  const texts = own.map(
    ([code, { status, title }]) =>
      `class ${classOfCode(code)}(${classOfStatus(status)}):\n    """${status} \`${code}\`: ${title}."""\n`,
  )
  return `"""A class for each problem code. Generated by \`npm run generate\`. Do not edit."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import (
${parents.map((name) => `    ${name},\n`).join('')})

__all__ = [
    "CLASS_BY_CODE",
${own.map(([code]) => `    "${classOfCode(code)}",\n`).join('')}]


${texts.join('\n\n')}

CLASS_BY_CODE: Mapping[str, type[ApiError]] = {
${all.map(([code]) => `    "${code}": ${classOfCode(code)},\n`).join('')}}
`
}

/** Words of the asynchronous client, and their replacements in the synchronous one. */
const SYNC: readonly (readonly [RegExp, string])[] = [
  [/\basync (for|with|def)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\b__a(iter|enter|exit)__\b/g, '__$1__'],
  [/\ba(iter_bytes|close)\b/g, '$1'],
  [/\bAwaitable\[(\w+\[\w+\])\]/g, '$1'],
  [/\bAwaitable, /g, ''],
  [/\bAsync([A-Z])/g, '$1'],
]

function syncFiles(): Record<string, string> {
  return Object.fromEntries(
    readAsync().map(([name, text]) => [`${source}/_sync/${name}`, syncText(name, text)]),
  )
}

/** Modules of the asynchronous client, by their names. */
function readAsync(): [string, string][] {
  const folder = join(root, source, '_async')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.py'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])
}

function importedModels(text: string): string[] {
  const imports = [...text.matchAll(/^from \.+models import (?:\(([^)]*)\)|(.*))$/gm)]
  return imports.flatMap(([, lines, line]) =>
    (lines ?? line ?? '')
      .split(',')
      .map((name) => name.trim().split(' as ')[0]!)
      .filter((name) => name !== ''),
  )
}

function syncText(name: string, text: string): string {
  const banner = `# Generated from _async/${name} by \`npm run generate\`. Do not edit.\n`
  if (name === '__init__.py') return `${banner}"""The synchronous client."""\n`
  const sync = SYNC.reduce((done, [words, replacement]) => done.replace(words, replacement), text)
  return `${banner}${sync}`
}

const files: Record<string, string> = {
  [`${source}/models.py`]: models(),
  [`${source}/_problem_errors.py`]: problemErrors(),
  ...syncFiles(),
}
let stale = 0
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name)
  if (current(path) === text) continue
  report(name)
  if (check) continue
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
for (const name of readdirSync(join(root, source, '_sync'), { recursive: true, encoding: 'utf8' })) {
  const path = `${source}/_sync/${name}`
  if (!name.endsWith('.py') || path in files) continue
  report(path)
  if (!check) rmSync(join(root, path))
}
process.exit(stale === 0 || !check ? 0 : 1)

function report(name: string): void {
  stale += 1
  if (check) process.stderr.write(`stale: ${name} (run: npm run generate)\n`)
  else process.stdout.write(`wrote ${name}\n`)
}

function current(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not generated yet.
    return null
  }
}
