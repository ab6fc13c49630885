/** `cupel report`: documents of stored reports, through the running API. */
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { writePdf } from '../pdf-file.js'

interface PdfOptions extends JsonOption {
  readonly output: string
}

export function registerReport(program: Command, context: CliContext): void {
  program
    .command('report')
    .description('Documents of stored reports.')
    .command('pdf <report-id>')
    .summary('write a report as a PDF for people')
    .description('Write a report as a PDF for people, with CUPEL_API_KEY or the demo key.')
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--json', 'answer with one line of JSON')
    .action(async (reportId: string, options: PdfOptions) => {
      const path = `/v1/reports/${encodeURIComponent(reportId)}/pdf`
      const { bytes } = await writePdf(context, path, options.output)
      const written = { report_id: reportId, file: options.output, bytes }
      answer(context, options, written, () => `Wrote ${options.output}, ${bytes} bytes.`)
    })
}
