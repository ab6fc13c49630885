import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, stop } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { bundleOptions, listPrograms } from './programs.mjs'

const programs = JSON.parse(readFileSync(join(root, 'dist', 'programs.json'), 'utf8'))

/** Starts a program without settings. */
function start(service) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--enable-source-maps', service === 'cli' ? 'services/cli/dist/main.js' : `dist/${service}.js`],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH } },
  )
  return { status, output: stdout + stderr }
}

test.each(Object.keys(programs).filter((service) => service !== 'cli'))(
  '%s is started by its bundle, and its traces name sources',
  (service) => {
    const { status, output } = start(service)
    expect(status).not.toBe(0)
    expect(output).toMatch(/CUPEL_\w+ is required/)
    expect(output).toContain('packages/kit/src/service/')
  },
)

test('the command line is started by the path of its module', () => {
  expect(start('cli').output).toContain('Usage: cupel')
})

test('a thread is a program, also if the module next to it names it for another one that starts it', () => {
  const names = listPrograms(root).map((source) => source.slice(source.lastIndexOf('/') + 1))
  expect(names).toEqual(expect.arrayContaining(['audit-worker.ts', 'render-worker.ts', 'result-worker.ts']))
  expect(programs.cli.files).toContain('dist/audit-worker.js')
  expect(readFileSync(join(root, 'dist', 'audit-worker.js'), 'utf8')).not.toMatch(/from ['"]@cupel\//)
})

test('the library of mail is only in the programs that send mail', () => {
  const having = Object.keys(programs).filter((name) =>
    programs[name].libraries.some((path) => path.endsWith('/nodemailer')),
  )
  // The command line checks the mail server (`cupel doctor`), and runs every service.
  expect(having.sort()).toEqual(['cli', 'webhook-dispatcher', 'workers'])
})

test('bundles hold libraries, and no bundled module looks for a library or for files next to itself', async () => {
  const { metafile } = await build({ ...bundleOptions(root), write: false })
  await stop()
  const modules = Object.keys(metafile.inputs)
  const having = (pattern) =>
    modules.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8'))).map(nameOf)
  expect(modules.map(nameOf)).toEqual(expect.arrayContaining(['fastify/fastify.js', 'kafkajs/index.js']))
  // The first one looks for a program, and images install the libraries of the PDFs (deploy/images/tree.mjs). A library that is both bundled
  // and required would have two copies of its classes.
  expect(having(/createRequire\(/).sort()).toEqual([
    'packages/local-stack/src/postgres-binaries.ts',
    'packages/reports/src/pdf/fonts.ts',
    'packages/reports/src/pdf/pdfmake.ts',
    'packages/reports/src/pdf/text-runs.ts',
    'pino/lib/transport.js',
  ])
  // pino looks for the files of its threads, and the product logs without threads. undici only compares names in stack traces, commander
  // looks for programs that the product does not have.
  expect(having(/\b(__dirname|__filename|require\.resolve)\b/).sort()).toEqual([
    'commander/lib/command.js',
    'packages/reports/src/pdf/fonts.ts',
    'pino/lib/transport.js',
    'thread-stream/index.js',
    'undici/index.js',
  ])
  expect(
    having(/import\.meta\.(url|dirname|resolve)/).filter((name) => !/^(packages|services)\//.test(name)),
  ).toEqual([])
})

test('a library that is imported later is a module, or comes through one of our own: a bundle gives a CommonJS one no names', async () => {
  const { metafile } = await build({ ...bundleOptions(root), write: false })
  await stop()
  const later = Object.entries(metafile.inputs)
    .filter(([path]) => !path.includes('node_modules'))
    .flatMap(([path, { imports }]) =>
      imports
        .filter(({ kind, path: to }) => kind === 'dynamic-import' && metafile.inputs[to]?.format === 'cjs')
        .map(({ path: to }) => `${path} imports ${nameOf(to)}`),
    )
  expect(later).toEqual([])
})

/** A module of a library is named without the folders of the installer. */
const nameOf = (path) => path.split('node_modules/').at(-1)
