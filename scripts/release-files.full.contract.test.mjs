import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from './setup.mjs'
import { writeSigned } from './release-files.mjs'

const release = { version: '1.2.3', commit: 'c'.repeat(40) }
const files = { 'cupel-1.2.3.tar.gz': Buffer.from('sources'), 'sbom.cdx.json': Buffer.from('{}') }
const pemOf = (key) => key.export({ format: 'pem', type: 'pkcs8' })

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-release-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (name) => readFileSync(join(folder, name))

test('every file of a release is in the sums, and the sums are signed', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeSigned(folder, release, files, pemOf(privateKey))
  const sums = read('SHA256SUMS')
  const named = sums.toString().trim().split('\n')
  expect(named).toEqual(
    [...Object.keys(files), 'provenance.json'].map(
      (name) => `${createHash('sha256').update(read(name)).digest('hex')}  ${name}`,
    ),
  )
  expect(verify(null, sums, publicKey, read('SHA256SUMS.sig'))).toBe(true)
  const changed = Buffer.from(sums.toString().replace(/^./, (first) => (first === '0' ? '1' : '0')))
  expect(verify(null, changed, publicKey, read('SHA256SUMS.sig'))).toBe(false)
})

test('the provenance names the commit and what was made of it', () => {
  writeSigned(folder, release, files, pemOf(generateKeyPairSync('ed25519').privateKey))
  const { subject, predicate } = JSON.parse(read('provenance.json').toString())
  expect(subject.map(({ name }) => name)).toEqual(Object.keys(files))
  expect(predicate.buildDefinition.resolvedDependencies).toEqual([
    { name: 'cupel', digest: { gitCommit: release.commit } },
  ])
})

test('a key of another kind signs nothing', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  expect(() => writeSigned(folder, release, files, pemOf(privateKey))).toThrow('Ed25519')
})

const hasHistory = existsSync(join(root, '.git'))
if (!hasHistory) noteSkip('the dry run of a release: this checkout has no history')

test.skipIf(!hasHistory)(
  'a dry run makes the signed files of a commit as a release does, and changes nothing',
  () => {
    const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
    const [commit, before] = [git('rev-parse', 'HEAD'), git('status', '--porcelain')]
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = join(folder, 'key.pem')
    writeFileSync(key, pemOf(privateKey))
    const out = join(folder, 'release')
    const cut = (...args) =>
      spawnSync(process.execPath, [join(root, 'scripts/release.mjs'), ...args], {
        cwd: root,
        encoding: 'utf8',
      })
    const { status, stderr } = cut('99.0.0', '--dry-run', commit, out, key)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const sums = readFileSync(join(out, 'SHA256SUMS'))
    expect(verify(null, sums, publicKey, readFileSync(join(out, 'SHA256SUMS.sig')))).toBe(true)
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out })
    const listed = execFileSync('tar', ['-tzf', join(out, 'cupel-99.0.0.tar.gz')], { encoding: 'utf8' })
    expect(listed).toContain('cupel-99.0.0/package.json\n')
    expect(sums.toString()).toMatch(/ {2}cupel-cli-\d+\.\d+\.\d+(-dev)?\.tgz$/m)
    expect(JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8')).components.length).toBeGreaterThan(0)
    expect(readFileSync(join(out, 'provenance.json'), 'utf8')).toContain(commit)
    expect(git('status', '--porcelain')).toBe(before)
    // No release is named without its files.
    expect(cut('99.0.0', '--commit', commit).status).toBe(2)
    expect(cut('99.0.0', '--commit', commit, out, key).stderr).toContain('There is no release 99.0.0')
  },
)
