/** `cupel screen`: one screening through the running API, with the demo key. */
import { lastProfile, readRun } from '@cupel/local-stack'
import type { Command } from 'commander'
import { join } from 'node:path'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_FAILED, EXIT_UNAVAILABLE, EXIT_USAGE } from '../explain.js'
import { readDemoKeys } from '../start/demo-keys.js'

interface ScreenOptions extends JsonOption {
  readonly chain?: string
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly title?: string
  readonly report_id?: string
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

const ANSWER_TIMEOUT_MS = 70_000

export function registerScreen(program: Command, context: CliContext): void {
  program
    .command('screen <address>')
    .summary('screen an address through the running service')
    .description('Screen an address through the running service, with CUPEL_API_KEY or else the demo key.')
    .option('--chain <code>', 'chain of the address; by default it is detected')
    .option('--json', 'answer with the report as the API gives it')
    .action(async (address: string, options: ScreenOptions) => {
      const report = await screen(context, address, options)
      answer(context, options, report, () => reportText(address, report))
    })
}

async function screen(context: CliContext, address: string, options: ScreenOptions): Promise<Report> {
  const { baseUrl, key } = target(context)
  let response: Response
  try {
    response = await fetch(`${baseUrl}/v1/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ address, ...(options.chain === undefined ? {} : { chain: options.chain }) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
  } catch (cause) {
    throw new CommandError(`The service at ${baseUrl} does not answer.`, EXIT_UNAVAILABLE, { cause })
  }
  const body: unknown = await response.json()
  if (response.ok) return body as Report
  const problem = body as Problem
  throw new CommandError(
    `Refused with ${response.status} ${problem.code ?? ''}: ${problem.detail ?? problem.title ?? 'no reason given'}`,
    response.status >= 500
      ? EXIT_UNAVAILABLE
      : response.status === 400 || response.status === 422
        ? EXIT_USAGE
        : EXIT_FAILED,
  )
}

function target(context: CliContext): { baseUrl: string; key: string } {
  const run = readRun(context.home)
  const baseUrl = run?.baseUrls[0] ?? context.environment['CUPEL_BASE_URL']
  if (baseUrl === undefined)
    throw new CommandError(`No service runs on ${context.home}: start one with npm start.`, EXIT_UNAVAILABLE)
  const profile = run?.profile ?? lastProfile(context.home) ?? 'embedded'
  const key = context.environment['CUPEL_API_KEY'] ?? readDemoKeys(join(context.home, profile))?.read_write
  if (key === undefined)
    throw new CommandError('There is no demo key here: give a key with CUPEL_API_KEY.', EXIT_USAGE)
  return { baseUrl, key }
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
