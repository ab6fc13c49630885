/**
 * The PDF of `audit recompute --pdf`: the question and the result, both attached as JSON, and a signature beside it where the command has
 * the signing keys of the installation.
 */
import { constants } from 'node:fs'
import { access, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createPdfRenderer } from '@cupel/reports/pdf'
import { STATEMENT_FORMAT, type AuditStatement } from '@cupel/reports/document'
import { readSigningKeys, contentsHash, signDocument, SigningKeysError, type Signer } from '@cupel/signing'
import { signingKeysFile } from '../../transparency/index.js'
import {
  type CliContext,
  CommandError,
  EXIT_CONFIG,
  EXIT_FAILED,
  EXIT_USAGE,
  VERSION,
} from '@cupel/command-line'
import { operator } from '@cupel/command-line/installation'

/** The signature is beside the PDF. */
export const SIGNATURE_SUFFIX = '.sig'
/** Longer than any render takes, also where other programs need the processors. */
const RENDER_TIMEOUT_MS = 600_000

/** The signer of a PDF, or the reason why it is not signed. */
export type Signing =
  | { readonly signer: Signer; readonly why: null }
  | { readonly signer: null; readonly why: string }

/** The part of the statement that the command knows when it has its answer. */
export type Stated = Pick<
  AuditStatement,
  'command' | 'log' | 'installation' | 'asked' | 'checks_macs' | 'answer'
>

export interface WrittenStatement {
  readonly file: string
  /** Null if the PDF is not signed. */
  readonly signature: string | null
  readonly keyId: string | null
  /** Of the PDF, in hex. */
  readonly sha256: string
  readonly unsignedBecause: string | null
}

/**
 * Runs before the work: throws a CommandError if the PDF could not be written, or the signing keys are damaged. An auditor who brought
 * public keys is not the installation, so its home does not count then.
 */
export async function prepareStatement(
  context: CliContext,
  { pdf, publicKeys }: { readonly pdf: string; readonly publicKeys?: string | undefined },
): Promise<Signing> {
  const folder = dirname(context.path(pdf))
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new CommandError(`${folder} is not a folder that can be written.`, EXIT_USAGE, { cause })
  })
  if (publicKeys !== undefined) return { signer: null, why: `An auditor with public keys made it. ${ASK}` }
  const file = signingKeysFile({ ...(await context.config()), CUPEL_HOME: context.home })
  const refusal = await access(file, constants.R_OK).then(
    () => null,
    ({ code }: NodeJS.ErrnoException) => code ?? 'unreadable',
  )
  if (refusal !== null)
    return {
      signer: null,
      why: `The signing keys of the installation cannot be read here (${refusal}). ${ASK}`,
    }
  try {
    return { signer: readSigningKeys(file).signer, why: null }
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

const ASK =
  'To have one signed, ask the operator of the installation to run the same command with the signing keys, and compare both answers.'

/** Replaces existing files. The signature is written after the PDF, so that a PDF that is cut off never looks signed. */
export async function writeStatement(
  context: CliContext,
  pdf: string,
  { signing, stated }: { readonly signing: Signing; readonly stated: Stated },
): Promise<WrittenStatement> {
  const { signer, why } = signing
  const statement: AuditStatement = {
    ...{ format: STATEMENT_FORMAT, command: stated.command, made_at: new Date().toISOString() },
    ...{ made_by: operator(), release: VERSION },
    ...stated,
    installation: stated.installation ?? signer?.key.name ?? null,
    ...{ signed_by: signer?.key.id ?? null, unsigned_because: why },
  }
  const json = JSON.stringify(statement)
  const bytes = await rendered(json)
  const of = {
    ...{ log: stated.log, time: statement.made_at },
    ...{ pdf: contentsHash(bytes), data: contentsHash(Buffer.from(json)) },
  }
  const signature = `${pdf}${SIGNATURE_SUFFIX}`
  await removeFile(context, signature)
  await replaceFile(context, pdf, bytes)
  if (signer !== null) await replaceFile(context, signature, signDocument(of, signer))
  return {
    ...{ file: pdf, signature: signer === null ? null : signature, keyId: statement.signed_by },
    ...{ sha256: of.pdf.sha256, unsignedBecause: why },
  }
}

export function statementText({ file, signature, keyId, unsignedBecause }: WrittenStatement): string {
  return signature === null
    ? `Wrote ${file}, which is not signed. ${unsignedBecause}`
    : `Wrote ${file} and ${signature}, signed by the key ${keyId}. \`cupel verify ${file} ${signature} --key FILE\` checks them.`
}

async function rendered(json: string): Promise<Uint8Array> {
  const renderer = createPdfRenderer({ workers: 1, timeoutMs: RENDER_TIMEOUT_MS })
  try {
    return await renderer.renderAudit(json)
  } finally {
    await renderer.close()
  }
}

async function replaceFile(context: CliContext, file: string, contents: Uint8Array | string): Promise<void> {
  const path = context.path(file)
  const draft = `${path}.${process.pid}.draft`
  try {
    await writeFile(draft, contents, { flush: true })
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new CommandError(`${file} cannot be written.`, EXIT_FAILED, { cause })
  }
}

/** Removes the signature of an earlier PDF. */
async function removeFile(context: CliContext, file: string): Promise<void> {
  await rm(context.path(file), { force: true }).catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be removed.`, EXIT_FAILED, { cause })
  })
}
