/** `cupel screen`: screens an address through the running API, with the demo key by default. */
import type { Report } from '@cupel/contracts'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { callService } from '../service-call.js'
import { reportText } from './report-text.js'

interface ScreenOptions extends JsonOption {
  readonly chain?: string
}

export function registerScreen(program: Command, context: CliContext): void {
  program
    .command('screen <address>')
    .summary('screen an address through the running service')
    .description(
      'Screen an address through the running service, with CUPEL_API_KEY or the demo key. Prints the level, why, where value ' +
        'came from and went, what is not known, and the lists. An asterisk marks the evidence that set the score.',
    )
    .option('--chain <code>', 'chain of the address; detected by default')
    .option('--json', 'answer with the report as the API gives it')
    .action(async (address: string, options: ScreenOptions) => {
      const report = await screen(context, address, options)
      answer(context, options, report, () => reportText(report, context.paint))
    })
}

async function screen(context: CliContext, address: string, { chain }: ScreenOptions): Promise<Report> {
  const body = chain === undefined ? { address } : { address, chain }
  return JSON.parse(await callService(context, { method: 'POST', path: '/v1/screen', body })) as Report
}
