/** A constant proof made by hand from the descriptions of the formats, and every way to break it. */
import { createHash, createPrivateKey } from 'node:crypto'
import { keyNamed, openSigner, verifierKey, type Signer } from '@cupel/signing'
import { naivePath, naiveRoot } from './naive-tree.js'

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
/** The key with these 32 bytes. */
export function signerOf(name: string, byte: number): Signer {
  const der = Buffer.concat([PKCS8_ED25519, Buffer.alloc(32, byte)])
  return openSigner(name, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
}

export const SIGNER = signerOf('cupel/0123456789ab', 1)
const WITNESS = signerOf('witness.example/w1', 2)
export const ORIGIN = `${SIGNER.key.name}/transparency/log-1`
export const KEYS = `# Keys of the test\n\n${verifierKey(SIGNER.key)}\n`
export const REPORT = Buffer.from('{"report_id":"00000000000000a1","note":"é \\u00e9 😀","score":92.40}')

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
export const SALT = sha256('salt')
export const DOCUMENT_HASH = sha256(SALT, REPORT).toString('base64')
export const entryOf = (document: string | null): string =>
  `["cupel-leaf-1","${sha256('record').toString('base64')}","${sha256('time').toString('base64')}",${document}]`

interface Made {
  readonly size: number
  readonly index: number
  readonly entry: string
  readonly salt: Buffer
  readonly origin: string
  readonly signers: readonly Signer[]
  /** The texts of other leaves by their index. */
  readonly others: ReadonlyMap<number, string>
  /** The text after the leaf, which may need the path of another leaf. */
  readonly behind: (pathOf: (index: number) => readonly string[]) => string
  /** Replaces the text that is signed. */
  readonly text?: (text: string) => string
}

export function madeProof(changes: Partial<Made> = {}): string {
  const made: Made = {
    ...{ size: 300, index: 7, entry: entryOf(`"${DOCUMENT_HASH}"`), salt: SALT, origin: ORIGIN },
    ...{ signers: [SIGNER], others: new Map<number, string>(), behind: () => '', ...changes },
  }
  const { size, index, entry, salt, origin, signers, others, behind, text = (same: string) => same } = made
  const entries = Array.from({ length: size }, (_, at) =>
    Buffer.from(at === index ? entry : (others.get(at) ?? `leaf ${at}`)),
  )
  const signed = text(`${origin}\n${size}\n${naiveRoot(entries).toString('base64')}\n`)
  const pathOf = (at: number) => naivePath(entries, at).map((hash) => hash.toString('base64'))
  const path = pathOf(index)
  const extra = Buffer.concat([salt, Buffer.from(entry + behind(pathOf))]).toString('base64')
  const head = ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${index}`, ...path]
  return `${head.join('\n')}\n\n${signed}\n${signers.map((signer) => lineOf(asLog(signer, origin), signed)).join('')}`
}

/** Keys of the installation sign under the name of the log; a witness has its own name. */
const asLog = (signer: Signer, origin: string): Signer =>
  signer === WITNESS ? signer : { ...signer, key: keyNamed(origin, signer.key) }

function lineOf({ key, sign: by }: Signer, text: string): string {
  return `— ${key.name} ${Buffer.concat([Buffer.from(key.id, 'hex'), by(Buffer.from(text))]).toString('base64')}\n`
}

/** Another spelling of the same bytes: the bits after the last byte are not zero. */
function respelt(base64: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return base64.replace(
    /(.)(=+)$/,
    (_, last: string, padding: string) => alphabet[alphabet.indexOf(last) + 1]! + padding,
  )
}

const respeltRecord = (entry: string): string =>
  entry.replace(/,"([^"]+)"/, (_, hash: string) => `,"${respelt(hash)}"`)

const lines = (proof: string, change: (lines: string[]) => string[]): string =>
  change(proof.split('\n')).join('\n')
const line = (at: number, change: (line: string) => string) => (proof: string) =>
  lines(proof, (all) => all.map((each, index) => (index === at ? change(each) : each)))
/** Line numbers of `madeProof()`: 9 hashes of a path of 300 leaves stand between the index and the checkpoint. */
const [EXTRA, INDEX, PATH, SIZE, ROOT, SIGNATURE] = [1, 2, 3, 14, 15, 17]

/** Pairs that are proven: the report and the proof. */
export const GOOD: readonly (readonly [string, string])[] = [
  ['a report among 300', madeProof()],
  ['only a report', madeProof({ size: 1, index: 0 })],
  ['the first leaf', madeProof({ index: 0 })],
  ['the last leaf', madeProof({ size: 257, index: 256 })],
  ['two signatures of which one is a witness’s', madeProof({ signers: [WITNESS, SIGNER] })],
]

const spoilt: readonly (readonly [string, (proof: string) => string])[] = [
  ['no last newline', (proof) => proof.slice(0, -1)],
  ['a newline more', (proof) => `${proof}\n`],
  ['trailing bytes', (proof) => `${proof}x`],
  ['a byte order mark', (proof) => `\ufeff${proof}`],
  ['a carriage return in the head', line(INDEX, (text) => `${text}\r`)],
  ['a carriage return in the path', line(PATH, (text) => `${text}\r`)],
  ['a carriage return in the checkpoint', line(SIZE, (text) => `${text}\r`)],
  ['a carriage return at a signature', line(SIGNATURE, (text) => `${text}\r`)],
  ['carriage returns everywhere', (proof) => proof.replaceAll('\n', '\r\n')],
  ['another version', line(0, (text) => text.replace('v1', 'v2'))],
  ['no extra line', (proof) => lines(proof, ([first, , ...rest]) => [first!, ...rest])],
  [
    'an extra line twice',
    (proof) => lines(proof, ([first, extra, ...rest]) => [first!, extra!, extra!, ...rest]),
  ],
  ['two spaces', line(EXTRA, (text) => text.replace(' ', '  '))],
  ['a space behind', line(INDEX, (text) => `${text} `)],
  ['leading zeros of the index', line(INDEX, () => 'index 07')],
  ['a signed index', line(INDEX, () => 'index +7')],
  ['a negative index', line(INDEX, () => 'index -7')],
  ['digits of another script', line(INDEX, () => 'index ٧')],
  ['another index', line(INDEX, () => 'index 6')],
  ['an index behind the tree', line(INDEX, () => 'index 300')],
  ['an index that no number holds', line(INDEX, () => 'index 9007199254740993')],
  ['a longer index', line(INDEX, () => `index ${'9'.repeat(400)}`)],
  ['padding behind the extra', line(EXTRA, (text) => `${text}=`)],
  ['respelt hash', line(PATH, respelt)],
  ['respelt root', line(ROOT, respelt)],
  ['respelt signature', line(SIGNATURE, respelt)],
  ['no padding', line(PATH, (text) => text.slice(0, -1))],
  ['base64 for URLs', line(PATH, () => `${'_'.repeat(42)}8=`)],
  ['a hash less', (proof) => lines(proof, (all) => all.filter((_, at) => at !== PATH))],
  [
    'a hash more',
    (proof) => lines(proof, (all) => all.flatMap((each, at) => (at === PATH ? [each, each] : [each]))),
  ],
  [
    'two hashes exchanged',
    (proof) =>
      lines(proof, (all) =>
        all.map((each, at) => (at === PATH ? all[PATH + 1]! : at === PATH + 1 ? all[PATH]! : each)),
      ),
  ],
  ['more hashes than any tree has', line(PATH, (text) => Array<string>(80).fill(text).join('\n'))],
  ['another size', line(SIZE, () => '301')],
  ['another root', line(ROOT, () => Buffer.alloc(32).toString('base64'))],
  ['another origin', (proof) => proof.replace('/log-1\n', '/log-2\n')],
  ['another name of the key', line(SIGNATURE, (text) => text.replace('cupel/', 'coupel/'))],
  ['a hyphen for the dash', line(SIGNATURE, (text) => text.replace('—', '-'))],
  ['a signature that is too short', line(SIGNATURE, (text) => `${text.slice(0, -8)}`)],
  ['no signature', (proof) => lines(proof, (all) => all.filter((_, at) => at !== SIGNATURE))],
  ['an invalid line of a signature', (proof) => `${proof}— other\n`],
  ['a control character in the name of a witness', (proof) => `${proof}— wit\u0001ness AAAAAAAA\n`],
  ['a wrong second signature of the key', (proof) => `${proof}${wrongLine()}`],
  ['the order of the curve added to the signature', line(SIGNATURE, malleable)],
  ['too many signatures', (proof) => proof + '— witness.example/w2 AAAAAAAA\n'.repeat(101)],
  ['a NUL', line(ROOT, (text) => `${text}\0`)],
  ['nothing', () => ''],
  ['an empty line', () => '\n\n'],
  ['a line of the head that no proof has', (proof) => proof.replace('index', `${'A'.repeat(70_000)}\nindex`)],
]

/** Proofs that do not hold, although they are signed as they stand. */
const signed: readonly (readonly [string, string])[] = [
  ['leading zeros of the size', madeProof({ text: (text) => text.replace('\n300\n', '\n0300\n') })],
  ['a size in another base', madeProof({ text: (text) => text.replace('\n300\n', '\n0x12c\n') })],
  ['a line behind the root', madeProof({ text: (text) => `${text}more\n` })],
  ['an origin of another key', madeProof({ origin: 'cupel/ba9876543210/transparency/log-1' })],
  ['an origin of another purpose', madeProof({ origin: `${SIGNER.key.name}/checkpoints/log-1` })],
  ['a batch of records', madeProof({ origin: `${SIGNER.key.name}/batches/log-1` })],
  ['only a witness', madeProof({ signers: [WITNESS] })],
  [
    'the key of the installation under its own name',
    madeProof().replace(
      /\n\n(.*\n\d+\n.*\n)\n.*\n$/,
      (_, text: string) => `\n\n${text}\n${lineOf(SIGNER, text)}`,
    ),
  ],
  ['a key with the same name', madeProof({ signers: [signerOf(SIGNER.key.name, 9)] })],
  ['a leaf of no report', madeProof({ entry: entryOf(null) })],
  ['a leaf of another report', madeProof({ entry: entryOf(`"${sha256('other').toString('base64')}"`) })],
  ['a leaf with a space', madeProof({ entry: entryOf(`"${DOCUMENT_HASH}"`).replace(',"', ', "') })],
  ['a leaf without a time', madeProof({ entry: entryOf(`"${DOCUMENT_HASH}"`).replace(/,"[^"]+"/, '') })],
  ['a leaf with a respelt record', madeProof({ entry: respeltRecord(entryOf(`"${DOCUMENT_HASH}"`)) })],
  ['a leaf with a respelt hash', madeProof({ entry: entryOf(`"${respelt(DOCUMENT_HASH)}"`) })],
  [
    'a leaf of another format',
    madeProof({ entry: entryOf(`"${DOCUMENT_HASH}"`).replace('leaf-1', 'leaf-2') }),
  ],
  ['a leaf with more', madeProof({ entry: `${entryOf(`"${DOCUMENT_HASH}"`)}\n` })],
  ['another salt', madeProof({ salt: sha256('pepper') })],
]

function wrongLine(): string {
  const { key, sign: by } = asLog(SIGNER, ORIGIN)
  const bytes = Buffer.concat([Buffer.from(key.id, 'hex'), by(Buffer.from('other'))])
  return `— ${key.name} ${bytes.toString('base64')}\n`
}

/** The same signature with S + L, which a careless verifier also accepts. */
function malleable(text: string): string {
  const [dash, name, base64] = text.split(' ') as [string, string, string]
  const bytes = Buffer.from(base64, 'base64')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const s = bytes.subarray(36).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + order
  for (let at = 0; at < 32; at += 1) bytes[36 + at] = Number((s >> BigInt(8 * at)) & 255n)
  return `${dash} ${name} ${bytes.toString('base64')}`
}

export const BAD: readonly (readonly [string, string])[] = [
  ...spoilt.map(([name, change]) => [name, change(madeProof())] as const),
  ...signed,
]

/** Reports that differ from the proven one. */
export const OTHER_REPORTS: readonly (readonly [string, Buffer])[] = [
  ['a newline more', Buffer.concat([REPORT, Buffer.from('\n')])],
  ['another score', Buffer.from(REPORT.toString().replace('92.40', '92.41'))],
  ['another spelling of the score', Buffer.from(REPORT.toString().replace('92.40', '92.4'))],
  ['another spelling of a letter', Buffer.from(REPORT.toString().replace('\\u00e9', 'é'))],
  ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), REPORT])],
  ['nothing', Buffer.alloc(0)],
]

// A report whose customer reference is sealed in the log.
const REFERENCE = 'case “7”\n😀'
const REFERENCE_SALT = sha256('reference salt')
const SEALED = `sealed1.00112233aabbccdd.${Buffer.concat([
  sha256(REFERENCE_SALT, REFERENCE),
  Buffer.from('what only the key opens, and its tag'),
]).toString('base64url')}`
const reportWith = (reference: string): Buffer =>
  Buffer.from(
    `{"report_id":"00000000000000a1","customer_reference":${reference},"note":"\\"customer_reference\\":"}`,
  )
const RECORDED = reportWith(JSON.stringify(SEALED))
const REFERENCED = reportWith(JSON.stringify(REFERENCE))
const ERASED = reportWith('"erased"')

/** `behind`: the text after the leaf. */
const sealedProof = (behind: string): string => {
  const entry = entryOf(`"${sha256(SALT, RECORDED).toString('base64')}"`)
  const proof = madeProof({ entry })
  const extra = Buffer.concat([SALT, Buffer.from(`${entry}${behind}`)]).toString('base64')
  return proof.replace(/^extra .*$/m, `extra ${extra}`)
}
const OPENING = `\n${SEALED} ${REFERENCE_SALT.toString('base64')}`
const CLOSED = `\n${SEALED}`

/** Name, report, proof. */
export const GOOD_REFERENCES: readonly (readonly [string, Buffer, string])[] = [
  ['the plain reference, with its salt', REFERENCED, sealedProof(OPENING)],
  ['the sealed one, with the salt', RECORDED, sealedProof(OPENING)],
  ['the sealed one, after an erasure', RECORDED, sealedProof(CLOSED)],
  ['the sealed one, without the line', RECORDED, sealedProof('')],
  ['the word for an erased one', ERASED, sealedProof(CLOSED)],
]
export const BAD_REFERENCES: readonly (readonly [string, Buffer, string])[] = [
  ['another reference', reportWith('"case 8"'), sealedProof(OPENING)],
  ['another spelling of the reference', reportWith('"case “7”\\u000a😀"'), sealedProof(OPENING)],
  ['a space before it', reportWith(` ${JSON.stringify(REFERENCE)}`), sealedProof(OPENING)],
  ['no reference', reportWith('null'), sealedProof(OPENING)],
  ['a number', reportWith('7'), sealedProof(OPENING)],
  ['no such member', REPORT, sealedProof(OPENING)],
  ['a text without an end', Buffer.from('{"customer_reference":"case'), sealedProof(OPENING)],
  ['no UTF-8 in the report', Buffer.concat([REFERENCED, Buffer.of(0xff)]), sealedProof(OPENING)],
  ['the plain reference without the salt', REFERENCED, sealedProof(CLOSED)],
  ['the plain reference without the line', REFERENCED, sealedProof('')],
  ['the word for an erased one, with the salt', ERASED, sealedProof(OPENING)],
  ['another salt of the reference', REFERENCED, sealedProof(`${CLOSED} ${SALT.toString('base64')}`)],
  ['a respelt salt', REFERENCED, sealedProof(`${CLOSED} ${respelt(REFERENCE_SALT.toString('base64'))}`)],
  ['another sealed reference', ERASED, sealedProof(CLOSED.replace('00112233', '00112234'))],
  ['a respelt sealed reference', ERASED, sealedProof(`${CLOSED}=`)],
  ['a second line', ERASED, sealedProof(`${CLOSED}\n`)],
  ['a second salt', REFERENCED, sealedProof(`${OPENING} ${REFERENCE_SALT.toString('base64')}`)],
  ['another note', Buffer.from(REFERENCED.toString().replace('"note"', '"nose"')), sealedProof(OPENING)],
]

/** Reports that an archive with the sealed reference proves except for their reference, and others. */
export const BESIDE_ARCHIVE: readonly (readonly [Buffer, boolean])[] = [
  [REFERENCED, true],
  [ERASED, true],
  [reportWith('"another"'), true],
  [Buffer.from(REFERENCED.toString().replace('"note"', '"nose"')), false],
  [Buffer.concat([REFERENCED, Buffer.from(' ')]), false],
  [reportWith('null'), false],
  [REPORT, false],
]
export const RECORDED_REPORT = RECORDED
