/**
 * The signature of a PDF, in a separate file: a signed note that names the log, the hash of the PDF, and the hash of the data that is
 * attached to it. `sha256sum` and any verifier of C2SP notes can check it.
 */
import { hash } from 'node:crypto'
import { openNote, signNote, UnsignedNoteError } from './signed-note.js'
import type { Signer, Verifier } from './signing-key.js'

/** The statement of the signature about a PDF. */
export interface SignedDocument {
  /** Identity of the log that the PDF is about. */
  readonly log: string
  /** RFC 3339: when the PDF was made, according to the signer. */
  readonly time: string
  readonly pdf: ContentsHash
  readonly data: ContentsHash
}

export interface ContentsHash {
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** The signature does not belong to this PDF; the message is a sentence. */
export class UnsignedDocumentError extends Error {
  override readonly name = 'UnsignedDocumentError'

  /** The content that a known key signed instead of this PDF; null if no signature counts. */
  readonly signed: OpenedDocument | null

  constructor(message: string, signed: OpenedDocument | null, options?: ErrorOptions) {
    super(message, options)
    this.signed = signed
  }
}

/** The words that name the purpose; they follow the name of the key. */
const PURPOSE = 'audits'
const LINES = /^([^\n]+)\npdf (\d+) ([0-9a-f]{64})\ndata (\d+) ([0-9a-f]{64})\ntime ([0-9TZ:.-]+)\n$/
/** Limits for a key name, a log name, and the lines after them; a longer file is not a signature. */
export const MAX_SIGNATURE_BYTES = 65_536

export const contentsHash = (contents: Uint8Array): ContentsHash => ({
  bytes: contents.length,
  sha256: hash('sha256', contents, 'hex'),
})

/** The text of the signature file. */
export function signDocument({ log, time, pdf, data }: SignedDocument, signer: Signer): string {
  const line = (name: string, { bytes, sha256 }: ContentsHash): string => `${name} ${bytes} ${sha256}`
  const origin = `${signer.key.name}/${PURPOSE}/${log}`
  const text = [origin, line('pdf', pdf), line('data', data), `time ${time}`, ''].join('\n')
  if (!LINES.test(text)) throw new RangeError('This document cannot be signed')
  return signNote(text, signer)
}

export interface OpenedDocument extends SignedDocument {
  readonly keyId: string
  readonly keyName: string
}

/**
 * The content of the signature, if a known key signed this PDF. Throws UnsignedDocumentError if no known key signed it,
 * or if it belongs to another file.
 */
export function openDocument(pdf: Uint8Array, signature: Uint8Array, verifier: Verifier): OpenedDocument {
  const said = openSignature(signature, verifier)
  const { bytes, sha256 } = contentsHash(pdf)
  if (sha256 !== said.pdf.sha256 || bytes !== said.pdf.bytes)
    throw new UnsignedDocumentError(
      `The PDF was changed, or the signature is of another one. It has ${bytes} bytes with the SHA-256 ${sha256}. ` +
        `The key ${said.keyId} signed one of the log ${said.log} on ${said.time}: ${said.pdf.bytes} bytes with ${said.pdf.sha256}.`,
      said,
    )
  return said
}

function openSignature(signature: Uint8Array, verifier: Verifier): OpenedDocument {
  const { text, keyId, keyName } = opened(signature, verifier)
  const [, origin = '', pdfBytes, pdfSha256 = '', dataBytes, dataSha256 = '', time = ''] =
    LINES.exec(text) ?? []
  const prefix = `${keyName}/${PURPOSE}/`
  if (!origin.startsWith(prefix))
    throw new UnsignedDocumentError(`The key ${keyId} signed something else than a PDF of an audit.`, null)
  return {
    ...{ log: origin.slice(prefix.length), time, keyId, keyName },
    pdf: { bytes: Number(pdfBytes), sha256: pdfSha256 },
    data: { bytes: Number(dataBytes), sha256: dataSha256 },
  }
}

function opened(signature: Uint8Array, verifier: Verifier): ReturnType<typeof openNote> {
  try {
    if (signature.length > MAX_SIGNATURE_BYTES) throw new UnsignedNoteError('It is not a signed note.')
    return openNote(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(signature), verifier)
  } catch (cause) {
    if (!(cause instanceof UnsignedNoteError) && !(cause instanceof TypeError)) throw cause
    const why = cause instanceof UnsignedNoteError ? cause.message : 'It is not text.'
    throw new UnsignedDocumentError(`The signature file does not count. ${why}`, null, { cause })
  }
}
