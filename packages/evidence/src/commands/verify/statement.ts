/** `cupel verify` of a PDF of an audit: its signature, and the content of its statement. */
import { STATEMENT_FORMAT, type AuditStatement } from '@cupel/reports/document'
import {
  contentsHash,
  openDocument,
  UnsignedDocumentError,
  verifier,
  type OpenedDocument,
  type PublicKey,
} from '@cupel/signing'
import { CommandError, EXIT_FAILED } from '@cupel/command-line'

export const isPdf = (bytes: Buffer): boolean => bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))

export interface VerifiedStatement extends OpenedDocument {
  readonly statement: AuditStatement
}

/** Throws a CommandError that names the part that does not fit: the signature file, the key, the pages, or the attached statement. */
export function verifyStatement(
  pdf: Buffer,
  signature: Buffer,
  keys: readonly PublicKey[],
): VerifiedStatement {
  const opened = openedDocument(pdf, signature, keys)
  const attached = attachmentOf(pdf, opened)
  if (attached === null) throw refusal('The PDF has no statement that its signature names.')
  const statement = JSON.parse(attached.toString('utf8')) as AuditStatement
  if (statement.format !== STATEMENT_FORMAT)
    throw refusal(`The statement has the form ${String(statement.format)}, which this version does not know.`)
  return { ...opened, statement }
}

function openedDocument(pdf: Buffer, signature: Buffer, keys: readonly PublicKey[]): OpenedDocument {
  try {
    return openDocument(pdf, signature, verifier(keys))
  } catch (cause) {
    if (!(cause instanceof UnsignedDocumentError)) throw cause
    const { signed } = cause
    if (signed === null) throw refusal(cause.message, cause)
    const where =
      attachmentOf(pdf, signed) === null
        ? 'The statement attached to the PDF is not the signed one.'
        : 'The statement attached to the PDF is the signed one: something else in the PDF was changed.'
    throw refusal(`${cause.message} ${where}`, cause)
  }
}

const refusal = (why: string, cause?: unknown): CommandError =>
  new CommandError(`Not proven: ${why}`, EXIT_FAILED, { cause })

/** The attached file of this length and hash; null if the PDF has none. Attached files are stored as they are. */
function attachmentOf(pdf: Buffer, { data: { bytes, sha256 } }: Pick<OpenedDocument, 'data'>): Buffer | null {
  for (let at = pdf.indexOf(STREAM); at >= 0; at = pdf.indexOf(STREAM, at + 1)) {
    const from = at + STREAM.length
    const contents = pdf.subarray(from, from + bytes)
    if (contents[0] === OPENING_BRACE && contentsHash(contents).sha256 === sha256) return contents
  }
  return null
}

const STREAM = Buffer.from('\nstream\n')
/** A statement is a JSON object; other streams of a PDF are not read for it. */
const OPENING_BRACE = 0x7b
