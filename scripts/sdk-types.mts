// Generates what the SDKs share with the API: types from docs/reference/openapi.json, a class and a conformance case for each problem
// code, and conformance cases of proofs and of signed records. `--check` fails on a stale file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { problemCodes } from '../packages/contracts/src/index.js'
import openapiTS, { astToString } from 'openapi-typescript'
import { proofCases } from './proof-cases.mjs'
import { recordCases } from './record-cases.mjs'
import { classOfCode, classOfStatus } from './sdk-errors.mjs'

const root = new URL('../', import.meta.url)
const SCREENED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const check = process.argv.includes('--check')

async function openapiTypes(): Promise<string> {
  const document = JSON.parse(readFileSync(new URL('docs/reference/openapi.json', root), 'utf8')) as {
    openapi: string
    info: object
    components: { schemas: object }
  }
  const { openapi, info, components } = document
  // Only types of data: the client handles paths and headers itself.
  const schemasOnly = { openapi, info, paths: {}, components: { schemas: components.schemas } }
  const types = astToString(await openapiTS(schemasOnly as never, { immutable: true }))
  return `// Generated from docs/reference/openapi.json by \`npm run generate\`. Do not edit.\n\n${types}`
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

const types = 'packages/sdk-typescript/src/generated'
const files = {
  [`${types}/openapi.ts`]: await openapiTypes(),
  [`${types}/problem-errors.ts`]: problemErrors(),
  'packages/sdk-conformance/cases/generated/problem-codes.json': problemCases(),
  'packages/sdk-conformance/cases/generated/proofs.json': proofCases(),
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
