// The rights that each service needs on tables, read from its program: esbuild leaves out the code that the program never calls, and what is left
// of its statements names tables and verbs. A statement that is added or removed changes the list; a list that is stale fails.
// The events that it writes to the outbox are the arguments of its calls of `outboxType`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { migrationFiles } from './migration-files.mjs'

/** The services of packages/operation/src/connections/service-access.ts, with every program that they run. */
const PROGRAMS = {
  api: ['api/src/main.ts', '../packages/bulk/src/routes/results/result-thread.ts'],
  scorer: ['scorer/src/main.ts'],
  'bulk-coordinator': ['bulk-coordinator/src/main.ts'],
  'webhook-dispatcher': ['webhook-dispatcher/src/main.ts'],
  'label-refresher': ['projector/src/label-refresher/main.ts'],
  // The command line has other programs; a follower runs these of its modules.
  'ledger-follower': [
    '../packages/command-line/src/installation/connect.ts',
    '../packages/chain-data/src/follow/follow.ts',
  ],
  projector: ['projector/src/main.ts'],
}
/** What the program of a scorer runs only if an operator allows it: the module that opens it, and the name of the rights with it. */
const HISTORIES = 'packages/chain-data/src/worker/open-history-stage.ts'

/** Stands for a part of a statement that is made when it runs. */
const PART = '?'
/** esbuild numbers the names of functions that two modules have. */
const OUTBOX_TYPE = /\boutboxType\d*\("(\w+)"\)/g
const VERBS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MAINTAIN']

/** The folders in `src` of each package: a read model is one of them. */
const sourceFolders = (root) =>
  readdirSync(join(root, 'packages')).flatMap((name) => {
    const sources = join(root, 'packages', name, 'src')
    return existsSync(sources) ? readdirSync(sources).map((folder) => join(sources, folder)) : []
  })

/** The text of the generated module. */
export async function databaseRightsModule(root) {
  const schema = readSchema(root)
  const rights = []
  for (const [service, texts] of await bundledTexts(root, HISTORIES))
    rights.push(entryOf(service, texts, schema))
  const ofHistories = (await bundledTexts(root, null))
    .flatMap(([service, texts]) => (service === 'scorer' ? [entryOf(service, texts, schema)] : []))
    .join('\n')
  return `// Generated from the programs of the services by \`npm run generate\`. Do not edit.
import type { EventType } from '@cupel/contracts'

/**
 * Verbs by table. \`actsAsTenant\`: its reads for one account change to the role that sees only the rows of that account. \`outbox\`: the
 * types of events that it writes there.
 */
export interface DatabaseRights {
  readonly actsAsTenant: boolean
  readonly tables: Readonly<Record<string, readonly Verb[]>>
  readonly outbox: readonly EventType[]
}

export type Verb = ${VERBS.map((verb) => `'${verb}'`).join(' | ')}

export const databaseRights = {
${rights.join('\n')}
} as const satisfies Readonly<Record<string, DatabaseRights>>

/** Instead of its own, if CUPEL_HISTORIES is on: then the scorer imports what providers say of an address. */
export const historyRights = {
${ofHistories}
} as const satisfies Readonly<Record<string, DatabaseRights>>
`
}

function entryOf(service, texts, schema) {
  const found = new Map()
  for (const statement of texts.flatMap(statementsIn)) collect(statement, schema, found)
  const fillsReadModels = texts.some((text) => text.includes('function runReadModel('))
  const tables = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = tables.flatMap(([table, verbs]) => {
    const isFilled = verbs.has('INSERT') && fillsReadModels
    const sorted = VERBS.filter((verb) => verbs.has(verb) && isRun(table, verb, isFilled)).map(
      (verb) => `'${verb}'`,
    )
    return sorted.length === 0 ? [] : [`      '${table}': [${sorted.join(', ')}],`]
  })
  const actsAsTenant = texts.some((text) => /scope: tenantScope\d*\(/.test(text))
  const types = new Set(texts.flatMap((text) => [...text.matchAll(OUTBOX_TYPE)].map(([, type]) => type)))
  const outbox =
    types.size === 0
      ? '[]'
      : `[\n${[...types]
          .sort()
          .map((type) => `      '${type}',\n`)
          .join('')}    ]`
  return `  '${service}': {\n    actsAsTenant: ${actsAsTenant},\n    tables: {\n${lines.join('\n')}\n    },\n    outbox: ${outbox},\n  },`
}

/** Whether a program that holds the statement runs it: topics are made by installations, and read models are written by who fills them. */
function isRun(table, verb, isFilled) {
  if (verb === 'SELECT') return true
  if (table === 'log.topic_partition') return false
  return !/^\w+_view\./.test(table) || isFilled
}

/** Tables, the bodies of functions that run with the rights of their caller, and the read models that have a table of a name. */
function readSchema(root) {
  const sql = migrationFiles(root)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const tables = new Set(
    [...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+\.\w+)/g)].map(([, name]) => name),
  )
  const functions = new Map(
    [...sql.matchAll(/CREATE FUNCTION (\w+\.\w+)\(([\s\S]*?)\$\$([\s\S]*?)\$\$/g)]
      .filter(([, , head]) => !head.includes('SECURITY DEFINER'))
      .map(([, name, , body]) => [name, body]),
  )
  const views = new Map()
  for (const folder of sourceFolders(root)) {
    if (!existsSync(join(folder, 'table.sql'))) continue
    const [, view = ''] =
      /\bname: '([a-z]+-view)',/.exec(readFileSync(join(folder, 'reducers.ts'), 'utf8')) ?? []
    for (const [, table] of readFileSync(join(folder, 'table.sql'), 'utf8').matchAll(/CREATE TABLE (\w+)/g)) {
      const full = `${view.replace('-', '_')}.${table}`
      tables.add(full)
      views.set(table, full)
    }
  }
  return { tables, functions, views }
}

/** The strings and templates of a program. */
function statementsIn(text) {
  const statements = []
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) statements.push(node.text)
    if (ts.isTemplateExpression(node))
      statements.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(PART))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('program.js', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS))
  return statements.filter((statement) => /\b(?:FROM|JOIN|INTO|UPDATE|ANALYZE|SELECT)\s/.test(statement))
}

const NAME = String.raw`((?:\w+|\?)\.(?:\w+|\?))`
const LOCK = /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b(?: OF (\w+))?|\bFOR KEY SHARE\b(?: OF (\w+))?/g

function collect(statement, schema, found) {
  const add = (name, ...verbs) => {
    for (const table of tablesOf(name, schema)) {
      if (!found.has(table)) found.set(table, new Set())
      for (const verb of verbs) found.get(table).add(verb)
    }
  }
  for (const [, name] of statement.matchAll(new RegExp(String.raw`\bDELETE FROM ${NAME}`, 'g')))
    add(name, 'SELECT', 'DELETE')
  for (const [, name] of statement.matchAll(new RegExp(String.raw`\bUPDATE ${NAME}`, 'g')))
    add(name, 'SELECT', 'UPDATE')
  for (const [, name] of statement.matchAll(new RegExp(String.raw`\bINSERT INTO ${NAME}`, 'g'))) {
    add(name, 'INSERT')
    if (/\bON CONFLICT\b|\bRETURNING\b/.test(statement)) add(name, 'SELECT')
    if (/\bDO UPDATE\b/.test(statement)) add(name, 'UPDATE')
  }
  const reads = [
    ...statement.matchAll(
      new RegExp(String.raw`(?:\bFROM|\bJOIN|\bUSING|,|^)\s+(?:ONLY )?${NAME}(?=(?:\s+(?:AS )?(\w+))?)`, 'g'),
    ),
  ]
  for (const [, name] of reads) add(name, 'SELECT')
  for (const [, alias = null] of statement.matchAll(LOCK))
    for (const [, name, of] of reads)
      if (alias === null || alias === of || name.endsWith(`.${alias}`)) add(name, 'UPDATE')
  if (/^ANALYZE /.test(statement)) add(`${PART}.${PART}`, 'MAINTAIN')
  for (const [, name] of statement.matchAll(/\b(\w+\.\w+)\(/g)) {
    const body = schema.functions.get(name)
    if (body !== undefined)
      for (const part of body.split(/;\s*$/m)) collect(part, without(schema, name), found)
  }
}

/** A function that calls itself is read once. */
const without = (schema, name) => ({
  ...schema,
  functions: new Map([...schema.functions].filter(([other]) => other !== name)),
})

/** A schema that is named when the statement runs is that of a read model. */
function tablesOf(name, { tables, views }) {
  if (tables.has(name)) return [name]
  const [of, table] = name.split('.')
  if (of !== PART) return []
  if (table === PART) return [...views.values()]
  return views.has(table) ? [views.get(table)] : []
}

/** The text of the programs of each service, without the code that they never call, and without one module. */
async function bundledTexts(root, without) {
  const { build, stop } = await import('esbuild')
  const entries = Object.entries(PROGRAMS).flatMap(([service, files]) =>
    files.map((file, place) => ({ in: join(root, 'services', file), out: `${service}.${place}` })),
  )
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: 'dist',
    bundle: true,
    write: false,
    treeShaking: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [ownModules(root, without)],
  })
  // Otherwise esbuild's helper process would keep this one alive.
  if (without === null) await stop()
  return Object.keys(PROGRAMS).map((service) => [
    service,
    outputFiles.filter(({ path }) => basename(path).startsWith(`${service}.`)).map(({ text }) => text),
  ])
}

/** No module of this repository does anything when it is imported, except the first one of a program. Libraries have no statements. */
function ownModules(root, without) {
  return {
    name: 'own modules',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return undefined
        const file = path.startsWith('@cupel/') ? exportOf(root, path) : sourceOf(importer, path)
        return file === null || (without !== null && file === join(root, without))
          ? { path, external: true, sideEffects: false }
          : { path: file, sideEffects: false }
      })
    },
  }
}

/** Null for the SDK, whose folder has another name, and which has no statements. */
function exportOf(root, path) {
  const [, name, ...rest] = path.split('/')
  const at = ['packages', 'services'].map((group) => join(root, group, name)).find(existsSync)
  if (at === undefined) return null
  const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  return join(at, exports[['.', ...rest].join('/')]['cupel-source'])
}

function sourceOf(importer, path) {
  if (!path.startsWith('.')) return null
  const file = join(dirname(importer), path)
  return (
    [file, file.replace(/\.js$/, '.ts'), file.replace(/\.js$/, '.tsx')].find((name) => existsSync(name)) ??
    null
  )
}
