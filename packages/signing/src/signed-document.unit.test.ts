import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentsHash, openDocument, signDocument, UnsignedDocumentError } from './signed-document.js'
import { signNote } from './signed-note.js'
import { verifier } from './signing-key.js'
import { createSigningKeys, readSigningKeys, rotateSigningKey, type SigningKeys } from './signing-keys.js'

const PDF = Buffer.from('%PDF-1.7 of an audit')
const DATA = Buffer.from('{"answer":{}}')
const STATED = {
  log: 'a1b2',
  time: '2026-11-25T09:00:00.000Z',
  pdf: contentsHash(PDF),
  data: contentsHash(DATA),
}

let folder: string
let keys: SigningKeys
let signature: Buffer
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-signed-document-'))
  createSigningKeys(join(folder, 'keys.json'))
  keys = readSigningKeys(join(folder, 'keys.json'))
  signature = Buffer.from(signDocument(STATED, keys.signer))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const refusal = (pdf: Uint8Array, note: Uint8Array | string, check = keys.verifier): string => {
  try {
    openDocument(pdf, Buffer.from(note), check)
  } catch (error) {
    expect(error).toBeInstanceOf(UnsignedDocumentError)
    return (error as Error).message
  }
  throw new Error('It was taken')
}

test('a signature says which PDF of which log a key signed, and when', () => {
  expect(openDocument(PDF, signature, keys.verifier)).toEqual({
    ...STATED,
    keyId: keys.signer.key.id,
    keyName: keys.signer.key.name,
  })
})

test('a PDF of which any bit differs is not the signed one', () => {
  for (let bit = 0; bit < PDF.length * 8; bit += 1) {
    const changed = Buffer.from(PDF)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(refusal(changed, signature)).toContain('The PDF was changed, or the signature is of another one.')
  }
  expect(refusal(Buffer.concat([PDF, Buffer.from('\n')]), signature)).toContain(
    `It has ${PDF.length + 1} bytes`,
  )
  expect(refusal(Buffer.alloc(0), signature)).toContain('It has 0 bytes')
})

test('a signature file of which any bit differs does not count', () => {
  for (let bit = 0; bit < signature.length * 8; bit += 1) {
    const changed = Buffer.from(signature)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    refusal(PDF, changed)
  }
  for (const other of ['', '\n\n', Buffer.from([0xff]), Buffer.alloc(70_000, 'a')]) refusal(PDF, other)
})

test('the signature of another PDF is named by the log and the time of that one', () => {
  const other = { ...STATED, log: 'ffff', pdf: contentsHash(Buffer.from('another')) }
  expect(refusal(PDF, signDocument(other, keys.signer))).toContain('one of the log ffff on 2026-11-25')
})

test('a key that is not given does not count, and one that was rotated away still does', () => {
  const file = join(folder, 'rotated.json')
  createSigningKeys(file)
  const earlier = readSigningKeys(file)
  const signed = signDocument(STATED, earlier.signer)
  rotateSigningKey(file)
  const later = readSigningKeys(file)
  expect(openDocument(PDF, Buffer.from(signed), later.verifier).keyId).toBe(earlier.signer.key.id)
  // The operator no longer gives the key whose private half was stolen.
  expect(refusal(PDF, signed, verifier([later.signer.key]))).toContain(
    `the key ${earlier.signer.key.id}, which`,
  )
  expect(refusal(PDF, signed)).toContain('does not know')
})

test('what the key signed for another purpose is not a signature of a PDF', () => {
  const { signer } = keys
  for (const text of [
    `${signer.key.name}/checkpoints/a1b2\n1\nAAAA\n`,
    `${signer.key.name}/batches/a1b2\npdf 1 ${'a'.repeat(64)}\ndata 1 ${'a'.repeat(64)}\ntime 2026\n`,
    `other/audits/a1b2\npdf 1 ${'a'.repeat(64)}\ndata 1 ${'a'.repeat(64)}\ntime 2026\n`,
  ])
    expect(refusal(PDF, signNote(text, signer))).toContain('signed something else')
})

test('a log or a time that would break a line is not signed', () => {
  for (const changed of [{ log: 'a\nb' }, { log: 'a\n\nb' }, { time: 'now\nx' }])
    expect(() => signDocument({ ...STATED, ...changed }, keys.signer)).toThrow(RangeError)
})
