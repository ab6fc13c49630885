/** `cupel cases`: what people write and decide about reports, through the running API. */
import { en, nameOf } from '@cupel/report-document'
import { Option, type Command } from 'commander'
import { answer, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { callService } from '../service-call.js'

interface CaseSummary {
  readonly report_id: string
  readonly address: string
  readonly level: string
  /** Null: nobody has decided. */
  readonly disposition: string | null
  readonly changed_at: string | null
}

interface Case {
  readonly report_id: string
  readonly disposition: string | null
  readonly history: readonly {
    readonly at: string
    readonly by: { readonly key_id: string; readonly person: string | null }
    readonly kind: string
    readonly disposition: string | null
    readonly text: string
  }[]
}

const DISPOSITIONS = ['open', 'escalated', 'cleared'] as const

export function registerCases(program: Command, context: CliContext): void {
  const cases = program.command('cases').summary('list cases, add notes, and decide about reports')
  cases
    .command('list')
    .summary('list cases')
    .description('Lists cases, the one that changed last first.')
    .addOption(
      new Option('--disposition <disposition>', 'only these').choices([...DISPOSITIONS, 'unsettled']),
    )
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption & { disposition?: string; pageToken?: string }) => {
      const given = { disposition: options.disposition, page_token: options.pageToken }
      const query = new URLSearchParams(
        Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ).toString()
      const text = await callService(context, {
        ...{ method: 'GET', path: `/v1/cases${query === '' ? '' : `?${query}`}` },
      })
      const page = JSON.parse(text) as { items: readonly CaseSummary[]; next_page_token: string | null }
      answer(context, options, page, () => listText(page.items, page.next_page_token))
    })
  cases
    .command('show <report-id>')
    .summary('show the case of a report')
    .description('Shows every note and decision of a report, oldest first.')
    .option('--json', 'answer as the API does')
    .action(async (reportId: string, options: JsonOption) => {
      const found = JSON.parse(
        await callService(context, { method: 'GET', path: pathOf(reportId, 'case') }),
      ) as Case
      answer(context, options, found, () => caseText(found))
    })
  registerChanges(cases, context)
}

function registerChanges(cases: Command, context: CliContext): void {
  const change = async (reportId: string, part: string, body: object, options: JsonOption): Promise<void> => {
    const text = await callService(context, { method: 'POST', path: pathOf(reportId, part), body })
    const changed = JSON.parse(text) as Case
    answer(context, options, changed, () => caseText(changed))
  }
  cases
    .command('note <report-id> <text>')
    .summary('add a note to a report')
    .description('Adds a note to the case of a report. The first one opens the case.')
    .option('--json', 'answer as the API does')
    .action((reportId: string, text: string, options: JsonOption) =>
      change(reportId, 'notes', { text }, options),
    )
  cases
    .command('decide <report-id> <disposition>')
    .summary('decide about a report')
    .description(
      `Decides about a report: ${DISPOSITIONS.join(', ')}. A second person may have to confirm it.`,
    )
    .requiredOption('--reason <text>', 'why')
    .option('--json', 'answer as the API does')
    .action((reportId: string, disposition: string, options: JsonOption & { reason: string }) =>
      change(reportId, 'disposition', { disposition, reason: options.reason }, options),
    )
}

const pathOf = (reportId: string, part: string): string =>
  `/v1/reports/${encodeURIComponent(reportId)}/${part}`

function listText(items: readonly CaseSummary[], next: string | null): string {
  if (items.length === 0) return 'There are no such cases.'
  const rows = items.map((one) => [
    ...[one.report_id, one.address, nameOf(en.levels, one.level)],
    ...[one.disposition ?? 'undecided', one.changed_at ?? ''],
  ])
  const heads = ['REPORT', 'ADDRESS', 'LEVEL', 'DISPOSITION', 'CHANGED']
  return table([heads, ...rows]) + (next === null ? '' : `\nThere are more: --page-token ${next}`)
}

function caseText({ report_id: reportId, disposition, history }: Case): string {
  const head = `Report ${reportId}: ${disposition ?? 'undecided'}.`
  if (history.length === 0) return `${head}\nNobody has worked on it.`
  const rows = history.map((one) => [
    ...[one.at, one.by.person ?? `key ${one.by.key_id}`],
    ...[one.disposition === null ? one.kind : `${one.kind}: ${one.disposition}`, one.text],
  ])
  return `${head}\n${table([['TIME', 'WHO', 'WHAT', 'TEXT'], ...rows])}`
}
