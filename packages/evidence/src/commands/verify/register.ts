/** `cupel verify`: a report or its PDF, its proof and the public keys, without the installation. */
import { readFile } from 'node:fs/promises'
import { createPdfRenderer, type PdfRenderer } from '@cupel/reports/pdf'
import {
  isProof,
  UnprovenReportError,
  verifyReport,
  type ProvenEntry,
  type ProvenReport,
} from '../../transparency/index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_USAGE,
  printable,
} from '@cupel/command-line'
import { readPublicKeys } from '@cupel/command-line/installation'
import { SIGNATURE_SUFFIX } from '../audit/statement.js'
import { isPdf, verifyStatement, type VerifiedStatement } from './statement.js'
import { verifyPdf, type ComparedDocument, type ProvenPdf, type ShownPdf } from './verify-pdf.js'
import {
  addWitnesses,
  cosignatureJson,
  cosignatureLine,
  witnessPolicyOf,
  type WitnessOptions,
} from './witnesses.js'

interface VerifyOptions extends JsonOption, WitnessOptions {
  readonly key: string
  readonly unprovenCase?: boolean
}

/** Longer than any render takes, also where other programs need the processors. */
const RENDER_TIMEOUT_MS = 600_000

export function registerVerify(program: Command, context: CliContext): void {
  addVerify(program, context, () => createPdfRenderer({ workers: 1, timeoutMs: RENDER_TIMEOUT_MS }))
}

/** The same where nothing can make a PDF of a report again: such a PDF is refused. */
export function registerVerifyWithoutPdf(program: Command, context: CliContext): void {
  addVerify(program, context, null)
}

function addVerify(program: Command, context: CliContext, openRenderer: (() => PdfRenderer) | null): void {
  addWitnesses(program.command('verify <report> <proof>'))
    .summary('check a report or its PDF and its proof, or the PDF of an audit and its signature, offline')
    .description(
      `Checks that a report is in the signed transparency log. It needs three files and nothing of the installation: the report, byte for byte
as GET /v1/reports/{report_id} answers it; its proof, as GET /v1/reports/{report_id}/proof answers it; and the public keys, which
the operator prints with \`cupel log signing-keys\`. With --witness it also holds only where enough witnesses cosigned the checkpoint:
they vouch that the installation shows everybody one history.

The proof may also be the one of its case, as GET /v1/reports/{report_id}/case/proof answers it: the command then also says who wrote and
decided what about the report, and when. No entry before the last one is left out; whether later ones came, no proof shows.

The report may also be its PDF, as GET /v1/reports/{report_id}/pdf answers it. The report that is attached to it is proven, and the
PDF is made again from that: not one byte of it may differ. It must be of the renderer version that this release has. A case in an
appendix needs the proof of the case: --unproven-case takes such a PDF with the proof of the report, and says so in its answer.

Of an audit the two files are its PDF and its signature. The signature shows who made the PDF and that no byte of it was changed. Whether
the audit proved anything is what the PDF says, and is_proven in JSON.`,
    )
    .requiredOption('--key <file>', 'file with the public keys, one on each line')
    .option(
      '--unproven-case',
      'take the PDF of a report with its case, though the proof does not cover the case',
    )
    .option('--json', 'answer in JSON')
    .action(async (reportFile: string, proofFile: string, options: VerifyOptions) => {
      const policy = witnessPolicyOf(options)
      const keys = readPublicKeys(context.path(options.key))
      const [report, proof] = [await bytesOf(context, reportFile), await bytesOf(context, proofFile)]
      if (isPdf(report) && isProof(proof))
        return answerProven(
          context,
          options,
          await verified(() => ofPdf({ pdf: report, proof, keys, policy }, options, openRenderer)),
        )
      if (isPdf(report) || proofFile.endsWith(SIGNATURE_SUFFIX))
        return answerStatement(context, options, verifyStatement(report, proof, keys))
      answerProven(context, options, await verified(() => verifyReport(report, proof, keys, policy)))
    })
}

async function ofPdf(
  shown: Pick<ShownPdf, 'pdf' | 'proof' | 'keys' | 'policy'>,
  { unprovenCase = false }: VerifyOptions,
  openRenderer: (() => PdfRenderer) | null,
): Promise<ProvenPdf> {
  if (openRenderer === null)
    throw new CommandError(
      'Nothing was checked: this package makes no PDF to compare yours with. Give the report as JSON, which `cupel report proof --report` writes, or use the command of a checkout.',
      EXIT_USAGE,
    )
  const renderer = openRenderer()
  try {
    return await verifyPdf({ ...shown, renderer, takesCase: unprovenCase })
  } finally {
    await renderer.close()
  }
}

function answerProven(
  context: CliContext,
  options: VerifyOptions,
  proven: ProvenReport & Partial<Pick<ProvenPdf, 'document'>>,
): void {
  const { log, index, size, leafHash, keyId, customerReference, cosignatures, entries, document } = proven
  const result = {
    ...{ is_proven: true, log, index, leaf_hash: leafHash, size, key_id: keyId },
    customer_reference: customerReference === 'recorded' ? null : customerReference,
    cosignatures: cosignatures.map(cosignatureJson),
    ...(entries.length === 0 ? {} : { case: { entries: entries.map(snakeCase) } }),
    ...(document === undefined ? {} : { pdf: snakeCase(document) }),
  }
  answer(context, options, result, () =>
    [
      `Proven: the report is leaf ${index} of ${size} in ${log}, signed by the key ${keyId}.`,
      `The hash of the leaf is ${leafHash}.`,
      ...(document === undefined ? [] : documentLines(document)),
      ...cosignatures.map(cosignatureLine),
      ...(customerReference === 'erased' ? ['Its customer reference was erased.'] : []),
      ...(customerReference === 'sealed' ? ['Its customer reference is sealed.'] : []),
      ...caseLines(entries),
    ].join('\n'),
  )
}

const documentLines = ({ renderer, hasUnprovenCase, hasProvenCase }: ComparedDocument): readonly string[] => [
  `The PDF is the one of this report, byte for byte, as renderer ${renderer} makes it.`,
  ...(hasProvenCase
    ? ['The case in its appendix is proven, except whether a second person was needed.']
    : []),
  ...(hasUnprovenCase
    ? ['NOT proven: the case in its appendix. Anybody could have written these notes and decisions.']
    : []),
]

function caseLines(entries: readonly ProvenEntry[]): readonly string[] {
  if (entries.length === 0) return []
  return [
    `The case of the report has these ${entries.length} entries. None between is left out; the proof does not show that none came later.`,
    ...entries.map((entry) => {
      const { version, at, kind, disposition, proposalVersion, keyId, person, subject, text } = entry
      const what = [kind, disposition, proposalVersion === null ? null : `of entry ${proposalVersion}`]
      const name = person === null ? (subject === '' ? '' : ', [erased]') : `, ${printable(person)}`
      const said = text === null ? '[erased]' : printable(JSON.stringify(text))
      return `  ${version}  ${at}  ${what.filter((each) => each !== null).join(' ')}, by key ${keyId}${name}: ${said}${detailsText(entry)}`
    }),
  ]
}

/** The members that only some entries have, such as the name of a file and its hash. */
function detailsText({ details }: ProvenEntry): string {
  return Object.entries(details)
    .map(([name, value]) => ` ${name}=${printable(JSON.stringify(value) ?? '')}`)
    .join('')
}

function answerStatement(
  context: CliContext,
  options: VerifyOptions,
  { log, time, keyId, keyName, pdf, statement }: VerifiedStatement,
): void {
  if ((options.witness ?? []).length > 0)
    throw new CommandError('No witness cosigns the PDF of an audit: leave --witness out.', EXIT_USAGE)
  const { command, asked, made_by, answer: found } = statement
  const { reports, is_proven } = found
  const said = { command, made_by, reports, is_proven }
  const result = { is_signed: true, log, time, key_id: keyId, key_name: keyName, sha256: pdf.sha256, ...said }
  answer(context, options, result, () =>
    [
      `Signed: the PDF is as the key ${keyId} of ${keyName} signed it, made on ${time} for the log ${log}. It was made by ${printable(made_by)}.`,
      `It says of \`cupel ${printable(command)}\`, ${asked.levels.length === 1 ? 'level' : 'levels'} ${printable(asked.levels.join(', '))}: ${reports.toLocaleString('en-US')} reports, ${is_proven ? 'nothing differs' : 'NOT proven'}.`,
    ].join('\n'),
  )
}

async function verified<Proven>(work: () => Proven | Promise<Proven>): Promise<Proven> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof UnprovenReportError)) throw cause
    throw new CommandError(`Not proven: ${cause.message}`, EXIT_FAILED, { cause })
  }
}

async function bytesOf(context: CliContext, file: string): Promise<Buffer> {
  return await readFile(context.path(file)).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${cause.code}).`, EXIT_USAGE, { cause })
  })
}
