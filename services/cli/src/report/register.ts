/** `cupel report`: documents of stored reports, through the running API. */
import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_FAILED } from '../explain.js'
import { bytesOfService } from '../service-call.js'

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
      const pdf = await bytesOfService(context, { method: 'GET', path })
      await writeFile(context.path(options.output), pdf).catch((cause: unknown) => {
        throw new CommandError(`${options.output} cannot be written.`, EXIT_FAILED, { cause })
      })
      const written = { report_id: reportId, file: options.output, bytes: pdf.length }
      answer(context, options, written, () => `Wrote ${options.output}, ${pdf.length} bytes.`)
    })
}
