/** `cupel screen`: screens an address through the running API, with the demo key by default. */
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { callService } from '../service-call.js'

interface ScreenOptions extends JsonOption {
  readonly chain?: string
}

interface Report {
  readonly report_id: string
  readonly chain: string
  readonly report_url: string
  readonly risk: {
    readonly level: string
    readonly score: number
    readonly level_reasons: readonly string[]
    readonly evidence: readonly {
      readonly category: string
      readonly entity: string | null
      readonly source: string
      readonly contribution: number
      readonly decisive: boolean
    }[]
  }
}

export function registerScreen(program: Command, context: CliContext): void {
  program
    .command('screen <address>')
    .summary('screen an address through the running service')
    .description('Screen an address through the running service, with CUPEL_API_KEY or the demo key.')
    .option('--chain <code>', 'chain of the address; detected by default')
    .option('--json', 'answer with the report as the API gives it')
    .action(async (address: string, options: ScreenOptions) => {
      const report = await screen(context, address, options)
      answer(context, options, report, () => reportText(address, report))
    })
}

async function screen(context: CliContext, address: string, { chain }: ScreenOptions): Promise<Report> {
  const body = chain === undefined ? { address } : { address, chain }
  return JSON.parse(await callService(context, { method: 'POST', path: '/v1/screen', body })) as Report
}

function reportText(address: string, report: Report): string {
  const { risk } = report
  const reasons = risk.level_reasons.length > 0 ? ` (${risk.level_reasons.join(', ')})` : ''
  const evidence = risk.evidence.map(
    (item) =>
      `  ${item.decisive ? '*' : ' '} ${item.category}: ${item.entity ?? 'unnamed'}, ${item.source}, contributes ${item.contribution}`,
  )
  return [
    `${address} on ${report.chain}: ${risk.level}, score ${risk.score}${reasons}`,
    ...evidence,
    `Report ${report.report_id}, ${report.report_url}`,
  ].join('\n')
}
