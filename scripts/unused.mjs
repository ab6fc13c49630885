// What no source uses: files that nothing imports, and exports that no other file imports. A name that an index passes on is used if somebody
// imports it from there.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import ts from 'typescript'

const SOURCE = /\.(tsx?|mts|mjs)$/
const TEST =
  /\.test\.\w+$|\.contract\.ts$|^(packages|services)\/[^/]+\/test\/|^packages\/(testkit|bench|system-tests)\//
/** Customers use the exports of the SDKs; scripts are programs. */
const NOT_JUDGED =
  /^scripts\/|^schemas\/|\/generated\/|\/released\/|\/boundary-fixtures\/|\.d\.m?ts$|^packages\/sdk-|^examples\//
/** Files that name programs and threads. */
const NAMES_FILES =
  /(^CONTRIBUTING\.md|package\.json|Dockerfile|\.sh|\.ya?ml|tsconfig.*\.json|\.mjs|\.mts|\.ts)$/

/**
 * @param {string} root the checkout
 * @returns {{ files: string[], exports: string[], testOnly: string[] }} paths; exports as `path#name`; `testOnly`: declared names that only
 *   tests use
 */
export function findUnused(root) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const all = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
  const doors = doorsOf(root, all)
  const modules = new Map(
    all
      .filter((file) => SOURCE.test(file) && !file.includes('/boundary-fixtures/'))
      .map((file) => [file, readModule(file, readFileSync(join(root, file), 'utf8'))]),
  )
  const resolve = (from, path) =>
    path.startsWith('.')
      ? spellings(normalize(join(dirname(from), path))).find((file) => modules.has(file))
      : doors.get(path)
  const used = { product: new Set(), test: new Set() }
  for (const [file, { imports }] of modules)
    for (const { path, name } of imports)
      use(used[TEST.test(file) ? 'test' : 'product'], resolve(file, path), name)
  const named = all
    .filter((file) => NAMES_FILES.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')])
  const judged = [...modules].filter(([file]) => !TEST.test(file) && !NOT_JUDGED.test(file))
  const names = judged.flatMap(([file, { exports, declared, text }]) =>
    exports.map((name) => ({ key: `${file}#${name}`, isOwn: declared.has(name) && usesOf(text, name) > 1 })),
  )
  const unused = names.filter(({ key, isOwn }) => !isOwn && !used.product.has(key))
  const isTested = ({ key }) => used.test.has(key)
  return {
    files: judged.map(([file]) => file).filter((file) => !isUsed(file, used, named)),
    exports: unused.filter((one) => !isTested(one)).map(({ key }) => key),
    testOnly: unused.filter(isTested).map(({ key }) => key),
  }

  /** Notes a name, and where an index has it from. `*` is every name. */
  function use(of, file, name) {
    const module = modules.get(file)
    const key = `${file}#${name}`
    if (module === undefined || of.has(key)) return
    of.add(key)
    of.add(file)
    if (name === '*') for (const each of module.exports) use(of, file, each)
    for (const { path, from, as } of module.passedOn)
      if (as === name || as === '*') use(of, resolve(file, path), as === '*' ? name : from)
  }
}

const usesOf = (text, name) => text.split(new RegExp(`(?<![\\w$])${name}(?![\\w$])`)).length - 1

/** Programs are named by their paths, and threads by their names. */
function isUsed(file, used, named) {
  if (used.product.has(file) || used.test.has(file)) return true
  const paths = [file.split('/').slice(-2).join('/'), `'${basename(file).replace(SOURCE, '')}'`]
  return named.some(([other, text]) => other !== file && paths.some((path) => text.includes(path)))
}

function spellings(path) {
  const bare = path.replace(/\.(js|mjs)$/, '')
  return [path, `${bare}.ts`, `${bare}.tsx`, `${bare}.mts`, `${path}/index.ts`]
}

/** The source of each path under which a package is imported. */
function doorsOf(root, all) {
  const manifests = all.filter((file) => /^(packages|services)\/[^/]+\/package\.json$/.test(file))
  return new Map(
    manifests.flatMap((file) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'))
      return Object.entries(exports).map(([door, { 'cupel-source': source = '' }]) => [
        join(name, door),
        join(dirname(file), source),
      ])
    }),
  )
}

/**
 * What a module imports, declares for others, and passes on.
 * @param {string} file
 * @param {string} text
 */
function readModule(file, text) {
  /** @type {{ imports: { path: string, name: string }[], exports: string[], declared: Set<string>, passedOn: { path: string, from: string, as: string }[], text: string }} */
  const found = { imports: [], exports: [], declared: new Set(), passedOn: [], text }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  for (const statement of source.statements) readStatement(statement, found)
  for (const [, path] of text.matchAll(/(?:import\(|new URL\()\s*'([^']+)'/g))
    found.imports.push({ path, name: '*' })
  return found
}

/** The names of an import or export that lists names. */
const elementsOf = (bindings) => bindings?.elements ?? []

function readStatement(statement, { imports, exports, declared, passedOn }) {
  const path = statement.moduleSpecifier?.text
  if (ts.isImportDeclaration(statement)) {
    const { name, namedBindings } = statement.importClause ?? {}
    if (name !== undefined || namedBindings === undefined) imports.push({ path, name: 'default' })
    if (namedBindings !== undefined && ts.isNamespaceImport(namedBindings)) imports.push({ path, name: '*' })
    for (const one of elementsOf(namedBindings))
      imports.push({ path, name: (one.propertyName ?? one.name).text })
  } else if (ts.isExportDeclaration(statement)) {
    for (const one of elementsOf(statement.exportClause)) {
      exports.push(one.name.text)
      if (path !== undefined)
        passedOn.push({ path, from: (one.propertyName ?? one.name).text, as: one.name.text })
    }
    if (path !== undefined && elementsOf(statement.exportClause).length === 0)
      passedOn.push({ path, from: '*', as: '*' })
  } else if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
    const names = statement.declarationList?.declarations.map(({ name }) => name.text) ?? [
      statement.name?.text,
    ]
    for (const name of names.filter((one) => one !== undefined)) {
      exports.push(name)
      declared.add(name)
    }
  }
}
