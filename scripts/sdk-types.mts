// Generates what the SDKs share with the API: types from docs/reference/openapi.json, the exported ones of the TypeScript SDK, a class and a
// conformance case for each problem code, conformance cases of proofs and of signed records, and the samples of the reference. `--check` fails on a stale file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { problemCodes } from '../packages/contracts/src/index.js'
import openapiTS, { astToString } from 'openapi-typescript'
import { proofCases } from './proof-cases.mjs'
import { recordCases } from './record-cases.mjs'
import { classOfCode, classOfStatus } from './sdk-errors.mjs'
import { sdkCallsModule } from './sdk-samples.mjs'

const root = new URL('../', import.meta.url)
const SCREENED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const check = process.argv.includes('--check')
const sdk = 'packages/sdk-typescript/src'
const banner = '// Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.\n\n'

const document = JSON.parse(readFileSync(new URL('docs/reference/openapi.json', root), 'utf8')) as {
  openapi: string
  info: object
  components: { schemas: Readonly<Record<string, { description?: string }>> }
  paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

async function openapiTypes(): Promise<string> {
  const { openapi, info, components } = document
  // Only types of data: the client handles paths and headers itself.
  const schemasOnly = { openapi, info, paths: {}, components: { schemas: components.schemas } }
  const types = astToString(await openapiTS(schemasOnly as never, { immutable: true }))
  return `${banner}${types}`
}

/** The types that the sources of the SDK import from here, and the types of their parts. */
function exportedModels(): string {
  const { schemas } = document.components
  const folder = new URL(`${sdk}/`, root)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const names = sources
    .flatMap((text) => [...text.matchAll(/\{([^}]*)\} from '[./]+\/generated\/models\.js'/g)])
    .flatMap(([, list]) => [...list!.matchAll(/(\w+)(?: as \w+)?/g)].map(([, name]) => name!))
  const exported = new Set<string>()
  for (let found = names; found.length > 0;) {
    const added = found.filter((name) => name in schemas && !exported.has(name))
    for (const name of added) exported.add(name)
    found = [
      ...JSON.stringify(added.map((name) => schemas[name])).matchAll(/#\/components\/schemas\/(\w+)/g),
    ].map(([, name]) => name!)
  }
  const types = [...exported].sort().map((name) => {
    const { description } = schemas[name]!
    return `${description === undefined ? '' : `/** ${description} */\n`}export type ${name} = Schemas['${name}']\n`
  })
  return `${banner}import type { components } from './openapi.js'\n\ntype Schemas = components['schemas']\n\n${types.join('')}`
}

function problemErrors(): string {
  const all = Object.entries(problemCodes)
  const own = all.filter(([code, { status }]) => classOfCode(code) !== classOfStatus(status))
  const parents = [...new Set(all.map(([, { status }]) => classOfStatus(status)))].sort()
  const classes = own.map(
    ([code, { status, title }]) =>
      `/** ${status} \`${code}\`: ${title}. */\nexport class ${classOfCode(code)} extends ${classOfStatus(status)} {\n  override name = '${classOfCode(code)}'\n}\n`,
  )
  return `// Generated from the problem codes by \`npm run generate\`. Do not edit.

import {
  type ApiError,
${parents.map((name) => `  ${name},\n`).join('')}} from '../errors.js'

${classes.join('\n')}
export const classByCode: Readonly<Record<string, typeof ApiError>> = {
${all.map(([code]) => `  ${code}: ${classOfCode(code)},\n`).join('')}}
`
}

/** One conformance case for each code: every SDK has a class for it, and reads the fields of the problem. */
function problemCases(): string {
  const cases = Object.entries(problemCodes).map(([code, { status, title, retry }]) => {
    const [own, parent] = [classOfCode(code), classOfStatus(status)]
    const errors = [{ pointer: '/address', detail: 'It is wrong.' }]
    const fields = {
      title,
      status,
      code,
      detail: 'What is wrong here.',
      errors,
      report_id: '9f2c4a1be07d6358',
    }
    const headers = retry === 'later' ? { headers: { 'retry-after': '7' } } : {}
    const expected = {
      class: own,
      is_a: [parent, 'ApiError', 'CupelError'].filter((name) => name !== own),
      message_has: ['What is wrong here.', code, 'req_conformance'],
      code,
      status,
      request_id: 'req_conformance',
      retry_after: retry === 'later' ? 7 : null,
      errors,
      report_id: fields.report_id,
    }
    return {
      name: `${code} is a ${own}`,
      server: [{ status, ...headers, json: { use: 'problem', with: fields } }],
      steps: [{ call: 'screen', args: [SCREENED], options: { max_retries: 0 }, expect: { error: expected } }],
      requests: [{ method: 'POST', path: '/v1/screen' }],
      waits_ms: [],
    }
  })
  return `${JSON.stringify(cases, null, 2)}\n`
}

/** The Python SDK checks proofs with the file for auditors. Its checkers of types have nothing to say about it. */
function auditorsVerifier(): string {
  const source = readFileSync(new URL('packages/evidence/python/verify_report.py', root), 'utf8')
  const header =
    '# type: ignore\n# Made from packages/evidence/python/verify_report.py by `npm run generate`.\n'
  return `${header}${source.slice(source.indexOf('\n') + 1)}`
}

const types = `${sdk}/generated`
const files = {
  [`${types}/openapi.ts`]: await openapiTypes(),
  [`${types}/models.ts`]: exportedModels(),
  [`${types}/problem-errors.ts`]: problemErrors(),
  'packages/gate/src/reference/generated/sdk-calls.ts': sdkCallsModule(document.paths),
  'packages/sdk-python/src/cupel/_verify_report.py': auditorsVerifier(),
  'packages/sdk-conformance/cases/generated/problem-codes.json': problemCases(),
  'packages/sdk-conformance/cases/generated/proofs.json': await proofCases(),
  'packages/sdk-conformance/cases/generated/records.json': recordCases(),
}
let stale = 0
for (const [name, text] of Object.entries(files)) {
  const path = fileURLToPath(new URL(name, root))
  if (current(path) === text) continue
  if (check) {
    process.stderr.write(`stale: ${name} (run: npm run generate)\n`)
    stale += 1
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    process.stdout.write(`wrote ${name}\n`)
  }
}
process.exit(stale === 0 ? 0 : 1)

function current(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not generated yet.
    return null
  }
}
