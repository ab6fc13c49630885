/** `cupel screen`: screens an address through the running API, with the demo key by default. */
import type { Report } from '@cupel/contracts'
import type { Command } from 'commander'
import {
  answer,
  type JsonOption,
  type CliContext,
  callService,
  wholeNumber,
  momentOf,
} from '@cupel/command-line'
import { asOfText, type AsOfAnswer } from './as-of-text.js'
import { reportText } from './report-text.js'

interface ScreenOptions extends JsonOption {
  readonly chain?: string
  readonly asOf?: string
  readonly wait?: number
}

export function registerScreen(program: Command, context: CliContext): void {
  program
    .command('screen <address>')
    .summary('screen an address through the running service')
    .description(
      'Screen an address through the running service, with CUPEL_API_KEY. Prints the level, why, where value ' +
        'came from and went, what is not known, and the lists. An asterisk marks the evidence that set the score.',
    )
    .option('--chain <code>', 'chain of the address; detected by default')
    .option('--as-of <moment>', 'what lists, policy and ledger of a past moment say; no report is made')
    .option(
      '--wait <seconds>',
      'wait so long for late stages and for histories that are being read',
      wholeNumber,
    )
    .option('--json', 'answer with the report as the API gives it')
    .action(async (address: string, { asOf, ...options }: ScreenOptions) => {
      const moment = momentOf('--as-of', asOf)
      if (moment === undefined) {
        const headers = options.wait === undefined ? {} : { prefer: `wait=${options.wait}` }
        const report = await screen<Report>(context, { address, chain: options.chain }, headers)
        answer(context, options, report, () => reportText(report, context.paint))
        return
      }
      const found = await screen<AsOfAnswer>(context, { address, chain: options.chain, as_of: moment })
      answer(context, options, found, () => asOfText(found, context.paint))
    })
}

/** `body`: members that are undefined are not sent. */
async function screen<Result>(
  context: CliContext,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const call = { method: 'POST', path: '/v1/screen', body, headers } as const
  return JSON.parse(await callService(context, call)) as Result
}
