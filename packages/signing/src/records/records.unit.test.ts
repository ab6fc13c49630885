import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSigner, parseVerifierKey, verifierKey, type Signer } from '../signing-key.js'
import { createSignatureCheck } from './check-record.js'
import { formatSignature, parseSignature, SIGNATURE_HEADER } from './signature-header.js'
import { recordLeaf, signRecords, type SignableRecord } from './sign-records.js'

const LOG = 'log-1'
const newSigner = (): Signer => openSigner('cupel/test', generateKeyPairSync('ed25519').privateKey)
const signer = newSigner()
const check = createSignatureCheck([signer.key], [LOG])

const record = (index: number): SignableRecord => ({
  topic: 'screening.report.events.v1',
  key: `report-${index}`,
  value: Buffer.from(`{"report_id":"report-${index}","account":"acc_1"}`),
  headers: { ce_id: `event-${index}`, ce_type: 'ReportGenerated', ce_time: '2026-11-23T06:00:00.000Z' },
})
const batch = (size: number, by: Signer = signer, log = LOG): SignableRecord[] =>
  signRecords(
    Array.from({ length: size }, (_, index) => record(index)),
    { signer: by, log },
  )
const withHeader = (signed: SignableRecord, text: string): SignableRecord => ({
  ...signed,
  headers: { ...signed.headers, [SIGNATURE_HEADER]: text },
})
const headerOf = ({ headers }: SignableRecord): string => headers[SIGNATURE_HEADER]!

test('every record of a batch of any size is signed, and checked by itself', () => {
  for (const size of [1, 2, 3, 5, 8, 13, 64, 255, 256])
    for (const signed of batch(size)) expect(check(signed)).toEqual({ kind: 'signed', keyId: signer.key.id })
  expect(signRecords([], { signer, log: LOG })).toEqual([])
})

test('a changed character of the header or byte of the value, key, topic or another header is named', () => {
  const [signed] = batch(5).slice(3)
  const header = headerOf(signed!)
  for (let at = 0; at < header.length; at += 1)
    for (const other of ['0', 'A', '.', '_']) {
      if (header[at] === other) continue
      const changed = header.slice(0, at) + other + header.slice(at + 1)
      expect(check(withHeader(signed!, changed)).kind, `character ${at}`).not.toBe('signed')
    }
  for (let at = 0; at < signed!.value.length; at += 1)
    for (let bit = 0; bit < 8; bit += 1) {
      const value = Buffer.from(signed!.value)
      value[at]! ^= 1 << bit
      expect(check({ ...signed!, value }).kind, `byte ${at}`).toBe('wrong-signature')
    }
  const { headers, key, topic } = signed!
  expect(check({ ...signed!, key: `${key}x` }).kind).toBe('wrong-signature')
  expect(check({ ...signed!, topic: `sandbox.${topic}` }).kind).toBe('wrong-signature')
  for (const name of Object.keys(headers).filter((each) => each !== SIGNATURE_HEADER)) {
    expect(check({ ...signed!, headers: { ...headers, [name]: `${headers[name]}x` } }).kind).toBe(
      'wrong-signature',
    )
    const without = Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
    expect(check({ ...signed!, headers: without }).kind).toBe('wrong-signature')
  }
  expect(check({ ...signed!, headers: { ...headers, extra: 'x' } }).kind).toBe('wrong-signature')
})

test('the MAC, which is made later, is not covered', () => {
  const [signed] = batch(1)
  expect(check({ ...signed!, headers: { ...signed!.headers, cupel_mac: 'a.b' } }).kind).toBe('signed')
})

test('a signature belongs to its record, its batch, its log and its purpose', () => {
  const [first, second] = batch(2)
  expect(check(withHeader(first!, headerOf(second!))).kind).toBe('wrong-signature')
  const [alone] = batch(1)
  expect(check(withHeader(second!, headerOf(alone!))).kind).toBe('wrong-signature')
  expect(check(batch(1, signer, 'log-2')[0]!).kind).toBe('wrong-signature')
  expect(check(record(0))).toEqual({ kind: 'no-signature' })
  const stranger = newSigner()
  expect(check(batch(1, stranger)[0]!)).toEqual({ kind: 'unknown-key', keyId: stranger.key.id })
  // One key signs both: a checkpoint with the same root does not count for a record.
  for (const purpose of ['batches', 'transparency']) {
    const root = recordLeaf(record(0)).toString('base64')
    const signature = signer.sign(Buffer.from(`${signer.key.name}/${purpose}/${LOG}\n1\n${root}\n`))
    const header = formatSignature({ keyId: signer.key.id, size: 1, index: 0, path: [], signature })
    expect(check(withHeader(record(0), header)).kind).toBe(
      purpose === 'batches' ? 'signed' : 'wrong-signature',
    )
  }
})

test('a signature for another log counts only where that log is named too', () => {
  const [signed] = batch(1, signer, 'log-0')
  expect(check(signed!)).toMatchObject({ kind: 'wrong-signature' })
  expect(createSignatureCheck([signer.key], [LOG, 'log-0'])(signed!)).toMatchObject({ kind: 'signed' })
})

test('a foreign signature under the id of a known key is wrong', () => {
  const [forged] = batch(1, newSigner())
  const parsed = parseSignature(headerOf(forged!))!
  expect(check(withHeader(forged!, formatSignature({ ...parsed, keyId: signer.key.id })))).toEqual({
    kind: 'wrong-signature',
    keyId: signer.key.id,
  })
})

test('a header has one spelling, and no text makes the check throw', () => {
  const [signed] = batch(3)
  const header = headerOf(signed!)
  expect(formatSignature(parseSignature(header)!)).toBe(header)
  const [keyId, size, index, path, signature] = header.split('.') as [string, string, string, string, string]
  const others = [
    // An id with only digits has no other case.
    [`A${keyId.slice(1)}`, size, index, path, signature],
    [keyId, `0${size}`, index, path, signature],
    [keyId, size, '00', path, signature],
    [keyId, size, '3', path, signature],
    [keyId, size, index, `${path}=`, signature],
    [keyId, size, index, path.slice(0, -1), signature],
    [keyId, size, index, path, `${signature}=`],
    [keyId, size, index, path, signature.slice(0, -1)],
    [keyId, size, index, path, `${signature}A`],
    [keyId, size, index, path, signature, ''],
    [keyId, '99999', index, path, signature],
  ]
  for (const parts of others) expect(parseSignature(parts.join('.')), parts.join('.')).toBeNull()
  for (let length = 0; length < header.length; length += 1)
    expect(check(withHeader(signed!, header.slice(0, length))).kind).toBe('malformed')
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(check(withHeader(signed!, text)).kind).toBe('malformed')
    }),
  )
})

test('a verifier key is read as it was written, and in no other spelling', () => {
  const line = verifierKey(signer.key)
  expect(parseVerifierKey(line)).toEqual(signer.key)
  for (let at = 0; at < line.length; at += 1) {
    const other = line[at] === 'A' ? 'B' : 'A'
    expect(parseVerifierKey(line.slice(0, at) + other + line.slice(at + 1)), `character ${at}`).toBeNull()
  }
  for (const text of ['', 'a+b', `${line}=`, ` ${line}`, line.slice(0, -1)])
    expect(parseVerifierKey(text)).toBeNull()
})
