/** `cupel report`: documents of stored reports, through the running API. */
import type { Command } from 'commander'
import {
  answer,
  type JsonOption,
  type CliContext,
  wholeNumber,
  writeAnswer,
  callService,
} from '@cupel/command-line'

interface PdfOptions extends JsonOption {
  readonly output: string
  readonly case?: boolean
}

interface ProofOptions extends JsonOption {
  readonly output: string
  readonly report?: string
}

interface ShareOptions extends JsonOption {
  readonly hours?: number
  readonly label?: string
}

export function registerReport(program: Command, context: CliContext): void {
  const report = program.command('report').description('Documents, proofs and share links of stored reports.')
  registerPdf(report, context)
  registerProof(report, context)
  registerShare(report, context)
}

function registerPdf(report: Command, context: CliContext): void {
  report
    .command('pdf <report-id>')
    .summary('write a report as a PDF for people')
    .description('Write a report as a PDF for people, with CUPEL_API_KEY.')
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--case', 'with the notes and decisions of people as an appendix')
    .option('--json', 'answer with one line of JSON')
    .action(async (reportId: string, options: PdfOptions) => {
      const path = `/v1/reports/${encodeURIComponent(reportId)}/pdf${options.case === true ? '?appendix=case' : ''}`
      const { bytes } = await writeAnswer(context, path, options.output)
      const written = { report_id: reportId, file: options.output, bytes }
      answer(context, options, written, () => `Wrote ${options.output}, ${bytes} bytes.`)
    })
}

function registerProof(report: Command, context: CliContext): void {
  report
    .command('proof <report-id>')
    .summary('write what proves a report offline')
    .description(
      'Write the proof that a report is in the transparency log, with CUPEL_API_KEY. `cupel verify` checks it. A report has its proof some seconds after it was made.',
    )
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--report <file>', 'write the report itself too, byte for byte as `cupel verify` takes it')
    .option('--json', 'answer with one line of JSON')
    .action(async (reportId: string, options: ProofOptions) => {
      const path = `/v1/reports/${encodeURIComponent(reportId)}`
      if (options.report !== undefined) await writeAnswer(context, path, options.report)
      const { bytes } = await writeAnswer(context, `${path}/proof`, options.output)
      const written = { report_id: reportId, file: options.output, bytes }
      answer(context, options, written, () => `Wrote ${options.output}, ${bytes} bytes.`)
    })
}

function registerShare(report: Command, context: CliContext): void {
  report
    .command('share <report-id>')
    .summary('make a link that shows the report to somebody without a key')
    .description('Make a link that shows the report to somebody without a key, with CUPEL_API_KEY.')
    .option('--hours <hours>', 'the link ends after so many hours, 168 by default', wholeNumber)
    .option('--label <text>', 'for whom or what it is made')
    .option('--json', 'answer with one line of JSON')
    .action(async (reportId: string, options: ShareOptions) => {
      const path = `/v1/reports/${encodeURIComponent(reportId)}/share-links`
      const body = { expires_in_hours: options.hours, label: options.label }
      const share = JSON.parse(await callService(context, { method: 'POST', path, body })) as NewShare
      answer(
        context,
        options,
        share,
        () => `${share.url}\nIt opens until ${share.expires_at}, and is not shown again.`,
      )
    })
  report
    .command('unshare <report-id> <share-id>')
    .summary('end a link at once')
    .description('End a link at once, with CUPEL_API_KEY.')
    .option('--json', 'answer with one line of JSON')
    .action(async (reportId: string, shareId: string, options: JsonOption) => {
      const path = `/v1/reports/${encodeURIComponent(reportId)}/share-links/${encodeURIComponent(shareId)}`
      await callService(context, { method: 'DELETE', path })
      const ended = { report_id: reportId, share_id: shareId, status: 'revoked' }
      answer(context, options, ended, () => `Link ${shareId} opens nothing any more.`)
    })
}

interface NewShare {
  readonly url: string
  readonly expires_at: string
}
