/** `cupel verify`: a report, its proof and the public keys, without the installation. */
import { readFile } from 'node:fs/promises'
import { UnprovenReportError, verifyReport, type ProvenReport } from '@cupel/transparency'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import { readPublicKeys } from '../audit/public-keys.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_FAILED, EXIT_USAGE } from '../explain.js'
import { printable } from '../paint.js'
import { SIGNATURE_SUFFIX } from '../audit/statement.js'
import { isPdf, verifyStatement, type VerifiedStatement } from './statement.js'
import {
  addWitnesses,
  cosignatureJson,
  cosignatureLine,
  witnessPolicyOf,
  type WitnessOptions,
} from './witnesses.js'

interface VerifyOptions extends JsonOption, WitnessOptions {
  readonly key: string
}

export function registerVerify(program: Command, context: CliContext): void {
  addWitnesses(program.command('verify <report> <proof>'))
    .summary('check a report and its proof, or the PDF of an audit and its signature, offline')
    .description(
      `Checks that a report is in the signed transparency log. It needs three files and nothing of the installation: the report, byte for byte
as GET /v1/reports/{report_id} answers it; its proof, as GET /v1/reports/{report_id}/proof answers it; and the public keys, which
the operator prints with \`cupel log signing-keys\`. With --witness it also holds only where enough witnesses cosigned the checkpoint:
they vouch that the installation shows everybody one history.

Of an audit the two files are its PDF and the signature beside it. The signature shows who made the PDF and that no byte of it was changed. Whether
the audit proved anything is what the PDF says, and is_proven in JSON.`,
    )
    .requiredOption('--key <file>', 'file with the public keys, one on each line')
    .option('--json', 'answer in JSON')
    .action(async (reportFile: string, proofFile: string, options: VerifyOptions) => {
      const policy = witnessPolicyOf(options)
      const keys = readPublicKeys(context.path(options.key))
      const [report, proof] = [await bytesOf(context, reportFile), await bytesOf(context, proofFile)]
      if (isPdf(report) || proofFile.endsWith(SIGNATURE_SUFFIX))
        return answerStatement(context, options, verifyStatement(report, proof, keys))
      const proven = verified(() => verifyReport(report, proof, keys, policy))
      const { leaf, index, hash, checkpoint, cosignatures, reference } = proven
      const { topic, partition, offset, eventId } = leaf
      const { origin, size, keyId } = checkpoint
      const result = {
        ...{ is_proven: true, log: origin, index, leaf_hash: hash, size, key_id: keyId },
        ...{ topic, partition, offset, event_id: eventId, customer_reference: reference },
        cosignatures: cosignatures.map(cosignatureJson),
      }
      answer(context, options, result, () =>
        [
          `Proven: the report is leaf ${index} of ${size} in ${origin}, signed by the key ${keyId}.`,
          `The hash of the leaf is ${hash}.`,
          `It is the record ${topic}/${partition} at ${offset}, event ${eventId}.`,
          ...cosignatures.map(cosignatureLine),
          ...(reference === 'erased' ? ['Its customer reference was erased.'] : []),
          ...(reference === 'sealed' ? ['Its customer reference is sealed.'] : []),
        ].join('\n'),
      )
    })
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

function verified(work: () => ProvenReport): ProvenReport {
  try {
    return work()
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
