import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build, stop } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientBundle, packCli } from './release-cli.mjs'

const MOST_BYTES = 400_000

const folder = mkdtempSync(join(tmpdir(), 'cupel-cli-release-'))
let tarball = ''
beforeAll(async () => {
  tarball = await packCli(folder)
  await stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package is one small file with its licences, and brings no dependency', () => {
  expect(basename(tarball)).toMatch(/^cupel-cli-\d+\.\d+\.\d+(-dev)?\.tgz$/)
  expect(statSync(tarball).size).toBeLessThan(MOST_BYTES)
  const tar = (...args) => execFileSync('tar', args, { encoding: 'utf8' })
  const files = ['LIBRARIES.md', 'LICENSE', 'README.md', 'cupel.mjs', 'package.json']
  expect(tar('-tzf', tarball).trim().split('\n').sort()).toEqual(files.map((name) => `package/${name}`))
  const manifest = JSON.parse(tar('-xzOf', tarball, 'package/package.json'))
  expect(manifest).toMatchObject({ name: '@cupel/cli', bin: { cupel: 'cupel.mjs' } })
  expect(Object.keys(manifest).filter((name) => /dependencies|scripts/i.test(name))).toEqual([])
  expect(tar('-xzOf', tarball, 'package/LIBRARIES.md')).toContain('## commander ')
})

test('the package has no code of a service', async () => {
  const { metafile } = await build(clientBundle())
  await stop()
  const [{ inputs }] = Object.values(metafile.outputs)
  const used = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  )
  expect(used).toContain('packages/screening/src/commands/screen/register.ts')
  const ofService =
    /node_modules\/(?:pg|kafkajs|fastify|pino|pdfmake|undici)\/|^packages\/(?:postgres|event-log|local-stack|projections|kit|gate|operation)\/|^packages\/webhooks\/src\/(?!commands\/listen\/|signing\/|index)|\/(?:routes|worker|read-model|installation\/(?!public-keys))\//
  expect(used.filter((path) => ofService.test(path))).toEqual([])
})

test('a file is in the folder in which the command runs, also for a `start` script of a package of the user', () => {
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  const env = { PATH: process.env['PATH'], npm_lifecycle_event: 'start', INIT_CWD: join(folder, 'elsewhere') }
  const args = ['cupel.mjs', 'verify', 'report.json', 'report.proof', '--key', 'LICENSE']
  const { stderr } = spawnSync(process.execPath, args, {
    cwd: join(folder, 'package'),
    env,
    encoding: 'utf8',
  })
  expect(stderr).toContain(`${join(folder, 'package', 'LICENSE')} is not a verifier key`)
})
