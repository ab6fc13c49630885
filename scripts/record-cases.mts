/** Conformance cases of signed records, signed with the code of the product and keys that are no secret. */
import { createHash, createPrivateKey } from 'node:crypto'
import {
  openSigner,
  SIGNATURE_HEADER,
  signRecords,
  verifierKey,
  type SignableRecord,
  type Signer,
} from '../packages/signing/src/index.js'

const LOG = 'kafka:cluster-1'
const EARLIER_LOG = 'kafka:cluster-0'
const TOPIC = 'screening.report.events.v1'
const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

function signerOf(name: string, secret: string): Signer {
  const seed = createHash('sha256').update(secret).digest()
  const key = Buffer.concat([PKCS8_OF_ED25519, seed])
  return openSigner(name, createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
}

const own = signerOf('cupel/conformance', 'own')
const next = signerOf('cupel/conformance', 'next')
const stranger = signerOf('cupel/conformance', 'stranger')
const linesOf = (...signers: readonly Signer[]): string =>
  signers.map(({ key }) => verifierKey(key)).join('\n')

/** A header as its text, as bytes in base64, or as several values. */
type GivenHeader = string | { readonly base64: string } | readonly string[]

interface GivenRecord {
  readonly topic: string
  readonly key: string | { readonly base64: string }
  readonly value: { readonly base64: string } | null
  readonly headers: Readonly<Record<string, GivenHeader>>
}

function plain(index: number, more: Partial<SignableRecord> = {}): SignableRecord {
  return {
    topic: TOPIC,
    key: `report-${index}`,
    value: Buffer.from(`\0\0\0\0\x07report ${index}`),
    headers: {
      ce_id: `event-${index}`,
      ce_type: 'ReportGenerated',
      ce_time: '2026-11-29T00:00:00.000Z',
      ce_subject: `report-${index}`,
    },
    ...more,
  }
}

/** One record of a signed batch. */
function signed(
  {
    size = 5,
    at = 3,
    signer = own,
    log = LOG,
  }: { size?: number; at?: number; signer?: Signer; log?: string } = {},
  more: Partial<SignableRecord> = {},
): GivenRecord {
  const batch = Array.from({ length: size }, (_, index) => plain(index, index === at ? more : {}))
  return given(signRecords(batch, { signer, log })[at]!)
}

const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') })
const given = ({ topic, key, value, headers }: SignableRecord): GivenRecord => ({
  ...{ topic, key, headers },
  value: base64(value),
})
const withHeaders = (record: GivenRecord, headers: GivenRecord['headers']): GivenRecord => ({
  ...record,
  headers: { ...record.headers, ...headers },
})
const without = (record: GivenRecord, name: string): GivenRecord => ({
  ...record,
  headers: Object.fromEntries(Object.entries(record.headers).filter(([other]) => other !== name)),
})
const signatureOf = ({ headers }: GivenRecord): string => headers[SIGNATURE_HEADER] as string
const withSignature = (record: GivenRecord, text: string): GivenRecord =>
  withHeaders(record, { [SIGNATURE_HEADER]: text })
/** The signature with some of its parts replaced: id of the key, leaves, index, path, signature. */
const withParts = (record: GivenRecord, parts: Readonly<Record<number, string>>): GivenRecord =>
  withSignature(
    record,
    signatureOf(record)
      .split('.')
      .map((part, index) => parts[index] ?? part)
      .join('.'),
  )

type Options = Readonly<Record<string, unknown>>
const defaults: Options = { public_keys: linesOf(next, own), logs: LOG }

const caseOf = (name: string, record: GivenRecord, expect: object, options: Options) => ({
  ...{ name, server: [], requests: [], waits_ms: [] },
  steps: [{ call: 'records.verify', args: [record], options: { ...defaults, ...options }, expect }],
})
const accepted = (name: string, record: GivenRecord, options: Options = {}, signer = own) =>
  caseOf(`a record is accepted: ${name}`, record, { equals: signer.key.id }, options)
const refused = (reason: string, name: string, record: GivenRecord, options: Options = {}) =>
  caseOf(
    `a record is refused: ${name}`,
    record,
    { error: { class: 'RecordVerificationError', is_a: ['CupelError'], reason } },
    options,
  )
const unusable = (name: string, options: Options) =>
  caseOf(name, signed(), { error: { class: 'ConfigurationError', is_a: ['CupelError'] } }, options)

const ODD = 'Zürich ∆ \u{1f600} "\\\u2028\u2029\b\f\n\r\t\u0001\u001f\u007f</é>'
const sizes = [
  [1, 0],
  [2, 1],
  [3, 2],
  [5, 4],
  [6, 4],
  [64, 31],
  [255, 254],
  [256, 0],
] as const

export function recordCases(): string {
  const record = signed()
  const [keyId, , , path, signature] = signatureOf(record).split('.') as [
    string,
    string,
    string,
    string,
    string,
  ]
  const bytes = Buffer.from(ODD)
  const odd = signed({}, { key: ODD, headers: { ce_id: ODD, Ba: 'x', aB: 'y', é: '' } })
  const cases = [
    ...sizes.map(([size, at]) => accepted(`leaf ${at} of ${size}`, signed({ size, at }))),
    accepted('any text in key and headers', odd),
    accepted(
      'key and headers as bytes',
      withHeaders({ ...odd, key: base64(bytes) }, { ce_id: base64(bytes) }),
    ),
    accepted('a topic of the sandbox', signed({}, { topic: `sandbox.${TOPIC}` })),
    accepted('no value', { ...signed({}, { value: Buffer.alloc(0) }), value: null }),
    accepted(
      'an installation with a prefix',
      { ...record, topic: `acme.${TOPIC}` },
      { topic_prefix: 'acme.' },
    ),
    accepted('the MAC is not covered', withHeaders(record, { cupel_mac: 'a.b' })),
    accepted('an earlier log is named too', signed({ log: EARLIER_LOG }), { logs: [LOG, EARLIER_LOG] }),
    accepted('a rotated key', signed({ signer: next }), { public_keys: linesOf(own, next) }, next),
    accepted('comments and empty lines in the keys', record, {
      public_keys: `# keys\r\n\n ${linesOf(own)}\r\n`,
    }),

    refused('no_signature', 'it carries no signature', without(record, SIGNATURE_HEADER)),
    refused('wrong_signature', 'another value', { ...record, value: base64(Buffer.from('green')) }),
    refused('wrong_signature', 'no value in place of one', { ...record, value: null }),
    refused('wrong_signature', 'another key', { ...record, key: 'report-4' }),
    refused('wrong_signature', 'moved to another topic', { ...record, topic: 'screening.case.events.v1' }),
    refused('wrong_signature', 'moved to the sandbox', { ...record, topic: `sandbox.${TOPIC}` }),
    refused('wrong_signature', 'without the prefix', record, { topic_prefix: 'acme.' }),
    refused('wrong_signature', 'another event id', withHeaders(record, { ce_id: 'event-4' })),
    refused('wrong_signature', 'another time', withHeaders(record, { ce_time: '2026-11-30T00:00:00.000Z' })),
    refused('wrong_signature', 'another type', withHeaders(record, { ce_type: 'ScreeningFailed' })),
    refused('wrong_signature', 'a header more', withHeaders(record, { extra: '' })),
    refused('wrong_signature', 'a header less', without(record, 'ce_subject')),
    refused(
      'wrong_signature',
      'the signature of another record',
      withSignature(record, signatureOf(signed({ at: 2 }))),
    ),
    refused('wrong_signature', 'a record of another log', signed({ log: EARLIER_LOG })),
    refused(
      'wrong_signature',
      'signed by another key under the id of a known one',
      withParts(signed({ signer: stranger }), { 0: keyId }),
    ),
    refused('wrong_signature', 'another index', withParts(record, { 2: '2' })),
    refused('wrong_signature', 'another size', withParts(record, { 1: '6' })),
    refused('wrong_signature', 'a longer path', withParts(record, { 3: `${path}${'A'.repeat(128)}` })),
    refused('wrong_signature', 'no path', withParts(record, { 3: '' })),
    refused('unknown_key', 'signed by a key of nobody', signed({ signer: stranger })),
    refused('unknown_key', 'signed by a key that was revoked', record, { public_keys: linesOf(next) }),
    ...[
      ['an empty signature', ''],
      ['a signature that is cut', signatureOf(record).slice(0, -1)],
      ['a signature with a newline', `${signatureOf(record)}\n`],
      [
        'a signature with another spelling of the last character',
        `${signatureOf(record).slice(0, -1)}${other(signature)}`,
      ],
      ['a key id in capitals', signatureOf(withParts(record, { 0: 'ABCDEF01' }))],
      ['a number with a zero in front', signatureOf(withParts(record, { 1: '05' }))],
      ['an index beyond the leaves', signatureOf(withParts(record, { 2: '5' }))],
      ['a tree that is too large', signatureOf(withParts(record, { 1: '65537' }))],
      ['a path that is not a whole number of hashes', signatureOf(withParts(record, { 3: `${path}AAAA` }))],
      ['a path in standard base64', signatureOf(withParts(record, { 3: `${'+'.repeat(43)}=` }))],
    ].map(([name, text]) => refused('malformed', name!, withSignature(record, text!))),
    refused(
      'malformed',
      'two headers of one name',
      withHeaders(record, { ce_type: ['ReportGenerated', 'ReportGenerated'] }),
    ),
    refused(
      'malformed',
      'a header that is not UTF-8',
      withHeaders(record, { ce_id: base64(Buffer.of(0xff)) }),
    ),
    refused('malformed', 'a key that is not UTF-8', { ...record, key: base64(Buffer.of(0xc3)) }),

    unusable('records are not checked without public keys', { public_keys: '' }),
    unusable('a line that is not a public key is not left out', { public_keys: `${linesOf(own)}\nkey` }),
    unusable('a public key under another name is refused', {
      public_keys: linesOf(own).replace('conformance', 'conformity'),
    }),
    unusable('records are not checked without the identity of the log', { logs: [] }),
    unusable('an empty identity of the log is refused', { logs: '' }),
  ]
  return `${JSON.stringify(cases, null, 2)}\n`
}

/** The last character of 64 bytes has four bits that count for nothing. */
const other = (signature: string): string => String.fromCharCode(signature.charCodeAt(85) + 1)
