import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNote, signNote, UnsignedNoteError } from './signed-note.js'
import { openSigner, verifier, verifierKey } from './signing-key.js'
import { createSigningKeys, readSigningKeys, rotateSigningKey, SigningKeysError } from './signing-keys.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-signing-'))
  file = join(folder, 'signing-keys.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

// The example of golang.org/x/mod/sumdb/note, whose format C2SP describes.
const SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const peter = openSigner(
  'PeterNeumann',
  createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, SEED]), format: 'der', type: 'pkcs8' }),
)
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const signed = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

test('keys and notes are those of C2SP', () => {
  expect(verifierKey(peter.key)).toBe('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
  expect(signNote(text, peter)).toBe(signed)
  expect(openNote(signed, verifier([peter.key]))).toEqual({
    text,
    keyId: 'c74f20a3',
    keyName: 'PeterNeumann',
  })
})

test.each<[string, (note: string) => string]>([
  ['a changed text', (note) => note.replace('think', 'thing')],
  ['a changed signature', (note) => note.replace('ZJku', 'ZJkv')],
  ['another spelling of the signature', (note) => note.replace('JnAM=', 'JnAN=')],
  ['no last newline', (note) => note.slice(0, -1)],
  ['a carriage return', (note) => note.replace('=\n', '=\r\n')],
  ['a line behind it', (note) => `${note}more\n`],
  ['another name of the key', (note) => note.replace('— PeterNeumann', '— PeterNewman')],
  ['no signature', () => text],
])('a note is refused: %s', (_, change) => {
  expect(change(signed)).not.toBe(signed)
  expect(() => openNote(change(signed), verifier([peter.key]))).toThrow(UnsignedNoteError)
})

test('a note of an unknown key is refused by the name of the key, and passes where a known one signed it too', () => {
  createSigningKeys(file)
  const mine = readSigningKeys(file)
  expect(() => openNote(signed, mine.verifier)).toThrow(
    'the key c74f20a3, which this installation does not know',
  )
  const both = signed + signNote(text, mine.signer).split('\n\n')[1]!
  expect(openNote(both, mine.verifier).keyId).toBe(mine.signer.key.id)
})

test('the file is only for its owner, and a second start keeps it', () => {
  createSigningKeys(file)
  const before = readFileSync(file, 'utf8')
  createSigningKeys(file)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('after a rotation the new key signs, what the old one signed can be checked, and its private half is gone', () => {
  createSigningKeys(file)
  const before = readSigningKeys(file)
  const secret = (JSON.parse(readFileSync(file, 'utf8')) as { keys: { privateKey: string }[] }).keys[0]!
    .privateKey
  const next = rotateSigningKey(file)
  const after = readSigningKeys(file)
  expect(after.signer.key).toEqual(next)
  expect(after.publicKeys.map(({ id }) => id)).toEqual([before.signer.key.id, next.id])
  expect(readFileSync(file, 'utf8')).not.toContain(secret)
  const words = Buffer.from('some words')
  const { id } = before.signer.key
  expect(after.verifier.verify(id, words, before.signer.sign(words))).toBe(true)
  expect(after.verifier.verify(next.id, words, before.signer.sign(words))).toBe(false)
  expect(before.verifier.verify(next.id, words, after.signer.sign(words))).toBe(false)
})

test.each<[string, (keys: string) => string]>([
  ['no JSON', () => '{'],
  ['null', () => 'null'],
  ['no list of keys', () => '{"name":"cupel","active":"a","keys":null}'],
  ['a name with a space', (keys) => keys.replace('"cupel/', '"cu pel/')],
  ['another name than the ids were made with', (keys) => keys.replace('"cupel/', '"other/')],
  ['an active key that is not there', (keys) => keys.replace(/"active": "\w+"/, '"active": "00000000"')],
  ['a damaged private key', (keys) => keys.replace(/"privateKey": "\w{8}/, '"privateKey": "AAAAAAAA')],
])('a file is refused without repeating what it holds: %s', (_, change) => {
  createSigningKeys(file)
  const text = change(readFileSync(file, 'utf8'))
  writeFileSync(file, text)
  const secret = /"privateKey": "(\w+)/.exec(text)?.[1] ?? 'none'
  const refusal = (() => {
    try {
      return readSigningKeys(file)
    } catch (error) {
      return error
    }
  })()
  expect(refusal).toBeInstanceOf(SigningKeysError)
  expect((refusal as Error).message).not.toContain(secret)
})

test('a rotation without a file makes it, with a first key', () => {
  const key = rotateSigningKey(file)
  expect(readSigningKeys(file).publicKeys.map(({ id }) => id)).toEqual([key.id])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a missing file is named', () => {
  expect(() => readSigningKeys(file)).toThrow(`The signing keys ${file} cannot be read (ENOENT).`)
})
