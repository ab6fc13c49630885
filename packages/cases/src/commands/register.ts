/** `cupel cases`: what people write, decide and attach to reports, through the running API. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CaseAssignee, CaseSummary, ReportCase } from '@cupel/contracts'
import { assigneeText, en, fileText, nameOf, personText } from '@cupel/reports/document'
import { Option, type Command } from 'commander'
import {
  answer,
  table,
  type JsonOption,
  writeAnswer,
  type CliContext,
  CommandError,
  EXIT_USAGE,
  callService,
} from '@cupel/command-line'

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
    .addOption(new Option('--level <level>', 'only of reports of this level').choices(Object.keys(en.levels)))
    .option('--assignee <who>', 'only of `me`, of `nobody`, or of the key with this id')
    .option('--overdue', 'only overdue ones')
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption & ListOptions) => {
      const given = {
        ...{ disposition: options.disposition, level: options.level, assignee: options.assignee },
        ...{ overdue: options.overdue === true ? 'true' : undefined, page_token: options.pageToken },
      }
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
      ) as ReportCase
      answer(context, options, found, () => caseText(found))
    })
  registerChanges(cases, context)
  registerAssignment(cases, context)
  registerFiles(cases, context)
}

interface ListOptions {
  readonly disposition?: string
  readonly level?: string
  readonly assignee?: string
  readonly overdue?: boolean
  readonly pageToken?: string
}

function registerChanges(cases: Command, context: CliContext): void {
  cases
    .command('note <report-id> <text>')
    .summary('add a note to a report')
    .description('Adds a note to the case of a report. The first one opens the case.')
    .option('--json', 'answer as the API does')
    .action((reportId: string, text: string, options: JsonOption) =>
      change(context, { reportId, part: 'notes', body: { text } }, options),
    )
  cases
    .command('decide <report-id> <disposition>')
    .summary('decide about a report')
    .description(
      `Decides about a report: ${DISPOSITIONS.join(', ')}. A second person may have to confirm it.`,
    )
    .requiredOption('--reason <text>', 'why')
    .option('--json', 'answer as the API does')
    .action(async (reportId: string, disposition: string, options: JsonOption & { reason: string }) => {
      const { version } = await readCase(context, reportId)
      const body = { disposition, reason: options.reason, version }
      await change(context, { reportId, part: 'disposition', body }, options)
    })
}

interface AssignOptions extends JsonOption {
  readonly to?: string
  readonly person?: string
  readonly nobody?: boolean
  readonly due?: string
  readonly reason?: string
}

function registerAssignment(cases: Command, context: CliContext): void {
  cases
    .command('assignees')
    .summary('list who can be assigned')
    .description('Lists the keys that work and may change cases, and the persons in them.')
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption) => {
      const text = await callService(context, { method: 'GET', path: '/v1/cases/assignees' })
      const page = JSON.parse(text) as { readonly items: readonly CaseAssignee[] }
      const rows = page.items.map((one) => [one.key_id, one.person ?? '', personText(one)])
      answer(context, options, page, () => table([['KEY', 'PERSON', 'NAME'], ...rows]))
    })
  cases
    .command('assign <report-id>')
    .summary('say who works on a case, and until when')
    .description(
      'Says who works on a case, and until which day of UTC. What no option names stays as it is. `cupel cases assignees` lists who can be assigned.',
    )
    .option('--to <key-id>', 'the holder of this key')
    .option('--person <name>', 'this person, who signs in with the key of --to')
    .addOption(new Option('--nobody', 'nobody').conflicts(['to', 'person']))
    .option('--due <day>', 'a day such as 2026-12-31; `none` for none')
    .option('--reason <text>', 'why')
    .option('--json', 'answer as the API does')
    .action(async (reportId: string, options: AssignOptions) => {
      const present = await readCase(context, reportId)
      const { version } = present
      const kept = present.assignee ?? null
      const assignee =
        options.to !== undefined
          ? { key_id: options.to, person: options.person }
          : options.nobody === true || kept === null
            ? null
            : { key_id: kept.key_id, person: kept.person }
      const due = options.due === 'none' ? null : (options.due ?? present.due_on ?? null)
      const body = { assignee, due_on: due, reason: options.reason, version }
      await change(context, { reportId, part: 'case/assignment', body }, options)
    })
}

function registerFiles(cases: Command, context: CliContext): void {
  cases
    .command('attach <report-id> <file>')
    .summary('attach a file to a case')
    .description('Attaches a PDF, a PNG, a JPEG or a text. Nobody can change or remove it.')
    .option('--json', 'answer as the API does')
    .action(async (reportId: string, file: string, options: JsonOption) => {
      const bytes = await readFile(context.path(file)).catch((cause: unknown) => {
        throw new CommandError(`${file} cannot be read.`, EXIT_USAGE, { cause })
      })
      const body = { name: basename(file), content: bytes.toString('base64') }
      await change(context, { reportId, part: 'case/files', body }, options)
    })
  const written = async (path: string, options: JsonOption & { output: string }): Promise<void> => {
    const { bytes } = await writeAnswer(context, path, options.output)
    const result = { file: options.output, bytes }
    answer(context, options, result, () => `Wrote ${options.output}, ${bytes} bytes.`)
  }
  cases
    .command('file <report-id> <version>')
    .summary('write a file of a case')
    .description('Writes the bytes that were attached with this entry.')
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--json', 'answer with one line of JSON')
    .action((reportId: string, version: string, options: JsonOption & { output: string }) =>
      written(pathOf(reportId, `case/files/${encodeURIComponent(version)}`), options),
    )
  cases
    .command('dossier <report-id>')
    .summary('write what a filing is written from, as a PDF')
    .description('Writes a case with every report of its subject, its decisions and its files, as a PDF.')
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--json', 'answer with one line of JSON')
    .action((reportId: string, options: JsonOption & { output: string }) =>
      written(pathOf(reportId, 'case/dossier'), options),
    )
}

async function readCase(context: CliContext, reportId: string): Promise<ReportCase> {
  const text = await callService(context, { method: 'GET', path: pathOf(reportId, 'case') })
  return JSON.parse(text) as ReportCase
}

async function change(
  context: CliContext,
  { reportId, part, body }: { readonly reportId: string; readonly part: string; readonly body: object },
  options: JsonOption,
): Promise<void> {
  const text = await callService(context, { method: 'POST', path: pathOf(reportId, part), body })
  const changed = JSON.parse(text) as ReportCase
  answer(context, options, changed, () => caseText(changed))
}

const pathOf = (reportId: string, part: string): string =>
  `/v1/reports/${encodeURIComponent(reportId)}/${part}`

function listText(items: readonly CaseSummary[], next: string | null): string {
  if (items.length === 0) return 'There are no such cases.'
  const rows = items.map((one) => [
    ...[one.report_id, one.address, nameOf(en.levels, one.level)],
    ...[one.disposition ?? 'undecided', assigneeText(one.assignee), dueText(one), one.changed_at ?? ''],
  ])
  const heads = ['REPORT', 'ADDRESS', 'LEVEL', 'DISPOSITION', 'ASSIGNED TO', 'DUE', 'CHANGED']
  return table([heads, ...rows]) + (next === null ? '' : `\nThere are more: --page-token ${next}`)
}

const dueText = ({ due_on, is_overdue }: Pick<CaseSummary, 'due_on' | 'is_overdue'>): string =>
  `${due_on ?? ''}${is_overdue === true ? ' OVERDUE' : ''}`

function caseText(reportCase: ReportCase): string {
  const { report_id: reportId, disposition, history } = reportCase
  const due = dueText(reportCase)
  const head = `Report ${reportId}: ${disposition ?? 'undecided'}, assigned to ${assigneeText(reportCase.assignee)}${due === '' ? '' : `, due on ${due}`}.`
  if (history.length === 0) return `${head}\nNobody has worked on it.`
  const rows = history.map((one) => [
    ...[String(one.version), one.at, personText(one.by), whatText(one)],
    one.file === undefined ? one.text : fileText(one.file),
  ])
  return `${head}\n${table([['ENTRY', 'TIME', 'WHO', 'WHAT', 'TEXT'], ...rows])}`
}

function whatText({ kind, disposition, assignee, due_on }: ReportCase['history'][number]): string {
  if (kind === 'assigned') return `${kind}: ${assigneeText(assignee)}${due_on === null ? '' : `, ${due_on}`}`
  return disposition === null ? kind : `${kind}: ${disposition}`
}
