import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
