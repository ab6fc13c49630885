/** The package that `npm pack` makes: its contents, the projects that can import and compile it, and equal behaviour on every runtime. */
import { gzipSync } from 'node:zlib'
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { conformanceCases, startScriptedServer, type ScriptedServer } from '@cupel/sdk-conformance'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../src/index.js'
import { snippets } from './guide.js'
import {
  done,
  packageFolder,
  projectWithSdk,
  releaseScript,
  run,
  runtimesWith,
  setUpTools,
} from './packed.js'

const MOST_GZIPPED_BYTES = 19 * 1024
const tools = await setUpTools()
const missing = 'missing' in tools ? tools.missing : undefined
if (missing !== undefined) noteSkip(`the SDK on other runtimes and compilers: ${missing}`)
const modules = 'modules' in tools ? tools.modules : ''

const runtimes = runtimesWith(missing === undefined ? modules : null)
const compilers: Record<string, string> = {
  '5.4': join(modules, 'typescript54/bin/tsc'),
  '5.9': join(modules, 'typescript59/bin/tsc'),
  '6.0': createRequire(import.meta.url).resolve('typescript/bin/tsc'),
}

let project: Awaited<ReturnType<typeof projectWithSdk>>
let installed: string
let server: ScriptedServer
beforeAll(async () => {
  ;[project, server] = await Promise.all([projectWithSdk(), startScriptedServer()])
  installed = join(project.folder, 'node_modules/@cupel/sdk')
})
afterAll(async () => {
  project?.remove()
  await server?.close()
})

test('the package brings no dependency, and its version is the one that it tells the service', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  expect(manifest).toMatchObject({ name: '@cupel/sdk', version })
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    expect(manifest[kind] ?? {}).toEqual({})
})

test('the package has its two builds, their types, sources, README and changelog, and no test', async () => {
  const files = (await done('find', ['.', '-type', 'f'], { cwd: installed })).trim().split('\n').sort()
  const outside = files.filter((name) => !name.startsWith('./src/'))
  const builds = ['cjs', 'cjs.map', 'd.cts', 'd.mts', 'mjs', 'mjs.map']
  const others = ['CHANGELOG.md', 'README.md', 'package.json']
  expect(outside).toEqual(
    [...others.map((name) => `./${name}`), ...builds.map((end) => `./dist/package/index.${end}`)].sort(),
  )
  expect(files.filter((name) => name.includes('test'))).toEqual([])
})

test.each(['index.mjs', 'index.cjs'])('%s is at most 19 kB, gzipped', (name) => {
  const bytes = gzipSync(readFileSync(join(installed, 'dist/package', name))).length
  expect(bytes).toBeLessThanOrEqual(MOST_GZIPPED_BYTES)
})

test('who only verifies webhooks bundles no client', async () => {
  const bundle = await build({
    stdin: {
      contents: `import { webhooks } from '@cupel/sdk'; webhooks.verify()`,
      resolveDir: project.folder,
    },
    ...{ bundle: true, write: false, format: 'esm', minify: true },
  })
  const text = bundle.outputFiles[0]!.text
  expect(text).not.toContain('CUPEL_API_KEY')
  expect(text).not.toContain('idempotency-key')
})

test('a dry run of the release finds nothing wrong, and publishes nothing', async () => {
  const output = await done(process.execPath, [releaseScript])
  expect(output).toMatch(/All good/)
  expect(output).toMatch(/No problems found/)
  expect(output).toMatch(/Nothing was published/)
}, 120_000)

test('CommonJS and modules get the same names', async () => {
  const names = async (flags: string[], code: string): Promise<string[]> =>
    JSON.parse(await done(process.execPath, [...flags, '-e', code], { cwd: project.folder })) as string[]
  const required = await names([], `console.log(JSON.stringify(Object.keys(require('@cupel/sdk')).sort()))`)
  const imported = await names(
    ['--input-type=module'],
    `import * as sdk from '@cupel/sdk'; console.log(JSON.stringify(Object.keys(sdk).sort()))`,
  )
  expect(required).toEqual(imported)
  expect(imported).toEqual(expect.arrayContaining(['Cupel', 'InvalidAddressError', 'webhooks']))
})

describe.skipIf(missing !== undefined)('with fetched tools', () => {
  const environments = Object.entries({
    // This skips nothing: the declarations themselves are compiled.
    'without types of Node': { lib: ['es2022', 'dom'], types: [], skipLibCheck: false },
    'with types of Node': { lib: ['es2023'], types: ['node'], skipLibCheck: true },
  }).flatMap(([name, options]) => Object.keys(compilers).map((compiler) => ({ compiler, name, options })))
  test.each(drawnWithin({ name: 'compilers of TypeScript', minimum: 1 }, environments))(
    'TypeScript $compiler compiles a strict consumer $name',
    async ({ compiler, options }) => {
      const folder = mkdtempSync(join(project.folder, 'consumer-'))
      cpSync(join(packageFolder, 'test/consumers/consumer.ts'), join(folder, 'consumer.ts'))
      for (const [index, code] of snippets().entries())
        writeFileSync(join(folder, `snippet-${index}.ts`), code)
      const typeRoots = [join(packageFolder, '../../node_modules/@types')]
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
      const common = {
        target: 'es2022',
        module: 'nodenext',
        moduleResolution: 'nodenext',
        noEmit: true,
        typeRoots,
      }
      const settings = { compilerOptions: { ...strict, ...common, ...options }, include: ['*.ts'] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
      const compiled = await run(process.execPath, [compilers[compiler]!, '-p', folder])
      expect(compiled).toEqual({ status: 0, output: '' })
    },
  )
})

test.each(drawnWithin({ name: 'runtimes of the TypeScript SDK', minimum: 1 }, Object.entries(runtimes)))(
  '%s passes every conformance case',
  async (name, [command, ...args]) => {
    const cases = [...conformanceCases().values()].flat()
    const input = join(project.folder, `cases-${name.replaceAll(' ', '-')}.json`)
    writeFileSync(input, JSON.stringify({ where: server, cases }))
    const main = join(project.folder, 'runtime-main.mjs')
    if (!existsSync(main)) await bundleMain(main)
    const output = await done(command!, [...args, main, input], { cwd: project.folder })
    expect(JSON.parse(output.trim().split('\n').at(-1)!)).toEqual({ ran: cases.length, faults: [] })
  },
)

test('the example goes on with 10,000 addresses after a stop, and submits and writes each once', async () => {
  const addresses = Array.from(
    { length: 10_000 },
    (_, index) => `0xc0be1${(index + 16).toString(16).padStart(35, '0')}`,
  )
  const answers = Array.from({ length: 10 }, (_, index) =>
    jobAnswers(index, addresses.slice(index * 1_000, (index + 1) * 1_000)),
  ).flat()
  const gone = { status: 404, json: { use: 'problem', with: { status: 404, code: 'not_found' } } }
  const [input, output] = [join(project.folder, 'many.csv'), join(project.folder, 'many.ndjson')]
  writeFileSync(input, `address\n${addresses.join('\n')}\n`)
  cpSync(
    join(packageFolder, '../../examples/typescript/screen-csv.mjs'),
    join(project.folder, 'screen-csv.mjs'),
  )
  const screen = async (script: readonly unknown[]): Promise<{ status: number | null; keys: string[] }> => {
    const body = JSON.stringify({ server: script })
    const started = (await (await fetch(`${server.url}/_scripts`, { method: 'POST', body })).json()) as {
      id: string
      base_url: string
    }
    const env = { CUPEL_API_KEY: 'cpl_test_example', CUPEL_BASE_URL: started.base_url }
    const { status } = await run(process.execPath, ['screen-csv.mjs', input, output], {
      cwd: project.folder,
      env,
    })
    const { requests } = (await (await fetch(`${server.url}/_scripts/${started.id}`)).json()) as {
      requests: { headers: Record<string, string> }[]
    }
    return { status, keys: requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []) }
  }
  // The first run ends in the middle of the fifth job and has written half a line of its results.
  const first = await screen([...answers.slice(0, 9), gone])
  expect(first.status).not.toBe(0)
  writeFileSync(output, `${readFileSync(output, 'utf8')}{"address":"0x`)
  const second = await screen(answers.slice(8))
  expect(second.status).toBe(0)
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { address: string }).address)).toEqual(addresses)
  expect(second.keys[0]).toBe(first.keys[4])
  expect(new Set([...first.keys, ...second.keys]).size).toBe(10)
})

/** A submitted job that has ended at the first look. */
function jobAnswers(index: number, batch: readonly string[]): readonly unknown[] {
  const results = batch.map((address, place) => ({
    number: place + 1,
    address,
    status: 'completed',
    report: { report_id: `${index}-${place}`, address, risk: { level: 'green', score: 0 } },
  }))
  const job = { job_id: `job_${index}`, total: batch.length }
  return [
    { status: 202, json: { use: 'job', with: job } },
    { status: 200, json: { use: 'ended_job', with: { ...job, completed: batch.length, results } } },
  ]
}

/** The suite as one file that imports only the package and Node modules. */
async function bundleMain(outfile: string): Promise<void> {
  const entry = join(packageFolder, 'test/runtime-main.ts')
  const external = ['@cupel/sdk', 'node:*']
  await build({ entryPoints: [entry], outfile, external, bundle: true, format: 'esm', target: 'es2022' })
}
