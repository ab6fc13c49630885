/** `cupel status`: the state of the installation at a glance. */
import type { Command } from 'commander'
import { readDiskSpace } from '@cupel/kit/service'
import {
  answer,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_UNAVAILABLE,
} from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'
import { cosigningText } from './cosigning.js'
import type { ServiceState } from './processes.js'
import { readStatus, type Status } from './status.js'

export function registerStatus(program: Command, context: CliContext): void {
  program
    .command('status')
    .summary('services, lag, stopped projections, dead letters')
    .description(
      `Shows services, the lag of every group, stopped projections and dead letters.
Exits with 0 if the installation runs and everything is healthy, and with ${EXIT_FAILED} otherwise.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const status = await withConnections(context, (connections) =>
        readStatus(connections, context.home),
      ).catch((error: unknown) => orFullVolume(error, context))
      answer(context, options, status, () => statusText(status))
      if (!status.healthy) process.exitCode = EXIT_FAILED
    })
}

/** A database on a full volume may not even start. Throws the error, or a CommandError that names the cause. */
async function orFullVolume(error: unknown, context: CliContext): Promise<never> {
  const { CUPEL_DISK_WATERMARK: watermark } = await context.config()
  const disk = error instanceof CommandError ? null : await readDiskSpace(context.home, watermark)
  if (disk?.isLow !== true) throw error
  throw new CommandError(
    `The volume of ${context.home} is nearly full (${mebibytes(disk.freeBytes)} are free), and the installation cannot tell its state: make room there. The data needs no repair.`,
    EXIT_UNAVAILABLE,
    { cause: error },
  )
}

export function statusText(status: Status): string {
  return [
    headline(status),
    servicesText(status.services),
    missingText(status.missing_services),
    section('GROUP', ['LAG'], status.groups, ({ group, lag }) => [group, String(lag)]),
    section('PROJECTION', ['STATE', ''], status.projections, (projection) => [
      projection.name,
      projection.state,
      remark(projection),
    ]),
    section('DEAD LETTERS', ['RECORDS'], status.dead_letters, ({ topic, records }) => [
      topic,
      String(records),
    ]),
    section('ROWS', ['COMPARED WITH THE LOG', ''], status.compared_rows, (rows) => [
      rows.kind,
      `${seconds(rows.age_ms)} ago`,
      rows.fault ?? '',
    ]),
    section('RETIRED', ['FROM', 'REPORTS', 'ARCHIVE', ''], status.retired_months, (retired) => [
      ...[retired.month, retired.store, String(retired.reports), retired.archive],
      retired.ended_at === null ? 'cut off: run `cupel retention apply` again' : '',
    ]),
    witnessesText(status.cosigning),
    status.standstills.map(({ detail, remedy }) => `${detail} (${remedy})`).join('\n'),
    backlogText(status.backlog),
    diskText(status.disk),
    clockText(status.clock_skew_ms),
    status.outbox.waiting > 0
      ? `${status.outbox.waiting} events wait in the outbox, the oldest for ${seconds(status.outbox.oldest_age_ms)}.`
      : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Releases and hosts can differ only where services send heartbeats. */
function servicesText(services: Status['services']): string {
  const state = ({ name, ready }: ServiceState): string[] => [name, ready ? 'ready' : 'not ready']
  return services.some(({ heartbeat }) => heartbeat !== null)
    ? section('SERVICE', ['STATE', 'RELEASE', 'HOST', ''], services, (service) => [
        ...state(service),
        ...[service.heartbeat?.release ?? '', service.heartbeat?.host ?? '', serviceRemark(service)],
      ])
    : section('SERVICE', ['STATE', ''], services, (service) => [...state(service), serviceRemark(service)])
}

function serviceRemark({ detail, heartbeat }: ServiceState): string {
  const skewMs = heartbeat?.clock_skew_ms ?? 0
  const clock =
    Math.abs(skewMs) < SKEW_TOLD_MS
      ? ''
      : `its clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} that of the database`
  return [detail, clock].filter((part) => part !== '').join('; ')
}

function witnessesText(cosigning: Status['cosigning']): string {
  if (cosigning === null) return ''
  const rows = section('WITNESS', ['LEAVES', 'COSIGNED', ''], cosigning.witnesses, (witness) => {
    const { name, size, cosigned_age_ms: ageMs, failures, failure } = witness
    const remark = failure === null ? '' : `${failure} (${failures} tries in a row)`
    return [name, String(size), ageMs === null ? 'never' : `${seconds(ageMs)} ago`, remark]
  })
  return `${rows}\n${cosigningText(cosigning)}`
}

function missingText(services: readonly string[]): string {
  return services.length === 0 ? '' : `No process runs of: ${services.join(', ')}.`
}

function backlogText({
  open_jobs: jobs,
  waiting_screenings: waiting,
  largest_account: most,
  limits,
}: Status['backlog']): string {
  const accepted = Object.entries(limits)
    .map(([plan, limit]) => `${limit.open_jobs} and ${limit.waiting_screenings} on ${plan}`)
    .join(', ')
  const allowed = `An account may have so many bulk jobs open and screenings waiting: ${accepted}.`
  if (jobs === 0) return allowed
  return `${allowed}
${jobs} bulk jobs are open and ${waiting} screenings wait; of one account at most ${most.open_jobs} and ${most.waiting_screenings}.`
}

function diskText(disk: Status['disk']): string {
  if (disk?.is_low !== true) return ''
  return `The volume is nearly full: ${mebibytes(disk.free_bytes)} are free, and below ${mebibytes(disk.watermark_bytes)} new work is refused.`
}

function clockText(skewMs: number): string {
  if (Math.abs(skewMs) < SKEW_TOLD_MS) return ''
  return `The clock of this machine is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} that of the database: let both follow a time server (NTP).`
}

/** Beyond this difference the times in logs of several machines mislead. */
const SKEW_TOLD_MS = 1_000

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`
}

function headline({ running, profile, base_urls, log }: Status): string {
  const where = log.brokers.length > 0 ? ` at ${log.brokers.join(', ')}` : ''
  const at = base_urls.length > 0 ? ` at ${base_urls.join(', ')}` : ''
  const state = running ? `runs${at}` : 'does not run; this is its stored state'
  return `The ${profile} installation ${state}.\nLog: ${log.kind}${where}, ${log.identity}`
}

function section<T>(
  heading: string,
  further: readonly string[],
  items: readonly T[],
  row: (item: T) => readonly string[],
): string {
  return items.length === 0 ? '' : table([[heading, ...further], ...items.map(row)])
}

function remark({ error, stopped_at: at, seen_age_ms: age, state }: Status['projections'][number]): string {
  const place = at === null ? '' : ` at ${at.topic}/${at.partition} offset ${at.offset}`
  if (error !== null) return `${error}${place}`
  return state === 'running' && age > STALE_MS ? `last update ${seconds(age)} ago` : ''
}

/** A running projection updates its state every two seconds. */
const STALE_MS = 10_000

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
