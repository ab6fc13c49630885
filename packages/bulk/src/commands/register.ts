/** `cupel bulk`: jobs through the running API. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  answer,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_USAGE,
  writeAnswer,
  callService,
} from '@cupel/command-line'
import { ColumnQuestionError, readAddressFile, type AddressFile } from './address-file.js'
import { createProgressBar, progressLine, type JobProgress } from './progress-bar.js'

interface Job extends JobProgress {
  readonly job_id: string
  readonly results_url: string
  readonly completed_at: string | null
}

interface PdfOptions extends JsonOption {
  readonly output: string
}

interface SubmitOptions extends JsonOption {
  readonly chain?: string
  readonly column?: string
  readonly referenceColumn?: string
  readonly name?: string
  readonly wait?: boolean
}

/** Polling interval while the command waits for a job. */
const LOOK_INTERVAL_MS = 250

const SUBMIT_DESCRIPTION = `Submits the addresses of a file as one job, with CUPEL_API_KEY: one address per line, or the
column of a CSV file that holds them, or a JSON array; 1 to 1,000 addresses. If several columns hold addresses, --column says which
one. Results and reports have the references of --reference-column. A line that begins with # is data, too. Lines
without an address are left out and named, and the command ends with ${EXIT_FAILED}. With --wait the command ends when the job has ended, with 0 if
every address has a report and with ${EXIT_FAILED} otherwise.`

export function registerBulk(program: Command, context: CliContext): void {
  const bulk = program.command('bulk').summary('submit, follow, cancel and fetch bulk jobs')
  bulk
    .command('submit <file>')
    .summary('submit the addresses of a file as a job')
    .description(SUBMIT_DESCRIPTION)
    .option('--chain <code>', 'chain of all addresses; detected for each address by default')
    .option('--column <column>', 'column with the addresses, by heading or number from 1')
    .option('--reference-column <column>', 'column with your own references, by heading or number from 1')
    .option('--name <name>', 'what you call the job')
    .option('--wait', 'follow the job to its end, with a progress bar')
    .option('--json', 'answer with the job as the API gives it')
    .action(async (file: string, options: SubmitOptions) => {
      const job = await submit(context, file, options)
      const shown = options.wait === true ? await follow(context, job.job_id) : job
      answer(context, options, shown, () => jobText(shown))
      if (options.wait === true && shown.status !== 'completed') process.exitCode = EXIT_FAILED
    })
  bulk
    .command('show <job-id>')
    .summary('show the progress of a job')
    .description('Shows the status and the progress of a job.')
    .option('--json', 'answer with the job as the API gives it')
    .action(async (jobId: string, options: JsonOption) => {
      const job = await getJob(context, jobId)
      answer(context, options, job, () => jobText(job))
    })
  bulk
    .command('cancel <job-id>')
    .summary('end a job early')
    .description('Cancels the undecided items of a job and waits until the job has ended.')
    .option('--json', 'answer with the job as the API gives it')
    .action(async (jobId: string, options: JsonOption) => {
      const before = await getJob(context, jobId)
      await callService(context, { method: 'POST', path: `${pathOf(jobId)}/cancel` })
      const job = before.completed_at === null ? await follow(context, jobId) : before
      // The job may also have ended between the two calls.
      if (job.status !== 'cancelled' || before.completed_at !== null)
        context.note('The job had ended already. Nothing was cancelled.')
      answer(context, options, job, () => jobText(job))
    })
  bulk
    .command('results <job-id>')
    .summary('write the results of a job as CSV or NDJSON')
    .description('Writes the results of a job to standard output, also while the job runs.')
    .option('--format <format>', 'csv or ndjson', 'csv')
    .action(async (jobId: string, options: { format: string }) => {
      const accept = { csv: 'text/csv', ndjson: 'application/x-ndjson' }[options.format]
      if (accept === undefined) throw new CommandError('--format is csv or ndjson.', EXIT_USAGE)
      const text = await callService(context, {
        ...{ method: 'GET', path: `${pathOf(jobId)}/results` },
        headers: { accept },
      })
      context.print(text.trimEnd())
    })
  bulk
    .command('pdf <job-id>')
    .summary('write an ended job as a PDF for people')
    .description('Writes a summary of an ended job as a PDF for people, with CUPEL_API_KEY.')
    .requiredOption('-o, --output <file>', 'file to write; an existing file is replaced')
    .option('--json', 'answer with one line of JSON')
    .action(async (jobId: string, options: PdfOptions) => {
      const { bytes } = await writeAnswer(context, `${pathOf(jobId)}/pdf`, options.output)
      const written = { job_id: jobId, file: options.output, bytes }
      answer(context, options, written, () => `Wrote ${options.output}, ${bytes} bytes.`)
    })
  registerCases(bulk, context)
}

function registerCases(bulk: Command, context: CliContext): void {
  bulk
    .command('open-cases <job-id>')
    .summary('open cases for the results of a level')
    .description(
      'Opens a case for each report of the level that has none. A repeat opens nothing a second time.',
    )
    .option('--level <level>', 'reports of this level', 'red')
    .requiredOption('--note <text>', 'the note that opens each case')
    .option('--json', 'answer as the API does')
    .action(
      async (jobId: string, { level, note, ...options }: JsonOption & { level: string; note: string }) => {
        const path = `${pathOf(jobId)}/cases`
        const text = await callService(context, { method: 'POST', path, body: { level, text: note } })
        const found = JSON.parse(text) as OpenedCases
        if (found.left_out > 0 || found.not_done > 0) process.exitCode = EXIT_FAILED
        answer(context, options, found, () => openedText(found))
      },
    )
}

async function submit(
  context: CliContext,
  file: string,
  { chain, name, column, referenceColumn }: SubmitOptions,
): Promise<Job> {
  let read: AddressFile
  try {
    read = readAddressFile(await readFile(context.path(file), 'utf8'), { column, referenceColumn })
  } catch (cause) {
    if (cause instanceof ColumnQuestionError)
      throw new CommandError(`${cause.message}.`, EXIT_USAGE, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`Cannot read ${file}: ${reason}`, EXIT_USAGE, { cause })
  }
  const { items, leftOutLines } = read
  if (leftOutLines.length > 0) {
    context.note(
      `${leftOutLines.length} of the lines of ${file} have no address and are left out: ${leftOutLines.join(', ')}.`,
    )
    process.exitCode = EXIT_FAILED
  }
  const body = { items, chain, name }
  return JSON.parse(await callService(context, { method: 'POST', path: '/v1/bulk', body })) as Job
}

/** Polls until the job has ended. */
async function follow(context: CliContext, jobId: string): Promise<Job> {
  const bar = createProgressBar(process.stderr)
  try {
    for (;;) {
      const job = await getJob(context, jobId)
      bar.show(job)
      if (job.completed_at !== null) return job
      await sleep(LOOK_INTERVAL_MS)
    }
  } finally {
    bar.end()
  }
}

async function getJob(context: CliContext, jobId: string): Promise<Job> {
  return JSON.parse(await callService(context, { method: 'GET', path: pathOf(jobId) })) as Job
}

function pathOf(jobId: string): string {
  return `/v1/bulk/${encodeURIComponent(jobId)}`
}

function jobText(job: Job): string {
  return `Job ${job.job_id}: ${progressLine(job)}\nResults: ${job.results_url}`
}

interface OpenedCases {
  readonly opened: number
  readonly existing: number
  readonly left_out: number
  readonly not_done: number
  readonly without_report: number
}

const openedText = ({ opened, existing, left_out, not_done, without_report }: OpenedCases): string =>
  [
    `${opened} cases opened, ${existing} existed before.`,
    ...(left_out > 0 ? [`${left_out} reports were left out for lack of time: run the command again.`] : []),
    ...(not_done > 0 ? [`${not_done} addresses have no report yet.`] : []),
    ...(without_report > 0 ? [`${without_report} addresses failed or were cancelled.`] : []),
  ].join('\n')
