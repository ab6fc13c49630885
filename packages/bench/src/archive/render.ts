/** Seconds and rates of an archive, with the targets for a million events, as a table. No figure fails a run. */
import type { ArchiveResults } from './run-archive.js'

const MILLION = 1_000_000
const MIB = 1024 * 1024

export function renderArchive(results: ArchiveResults): string {
  const { date, cores, loadAverage, profile, events, reports, bytes, valueBytes } = results
  const row = (
    name: string,
    seconds: number,
    target: number | null,
    floor: number | null,
    processor: number | null = null,
  ): string => {
    const perMillion = (seconds / events) * MILLION
    const cells = [
      ...[name, `${seconds.toFixed(1)} s`, Math.round(events / seconds).toLocaleString('en-US')],
      ...[`${perMillion.toFixed(0)} s`, target === null ? '' : `≤ ${target} s`],
      floor === null ? '' : (seconds / floor).toFixed(1),
      ...(processor === null
        ? ['', '']
        : [`${processor.toFixed(1)} s`, `${((processor / events) * MILLION).toFixed(0)} s`]),
    ]
    return `| ${cells.join(' | ')} |`
  }
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile, services running beside. ${count(events)} events, of which ${count(reports)} are reports; values of ${mib(valueBytes)} became an archive of ${mib(bytes)}. Commands are measured as a whole, with their start. Processor time is user and system time of the command’s own process, without the database.`,
    '',
    '| | took | events a second | for a million | target | times the floor | processor time | for a million |',
    '|---|---|---|---|---|---|---|---|',
    row('read the log (floor of create)', results.readSeconds, null, null),
    row('`archive create`', results.createSeconds, 60, results.readSeconds, results.createProcessorSeconds),
    row('hash the files (floor of verify)', results.hashSeconds, null, null),
    row('`archive verify`', results.verifySeconds, 90, results.hashSeconds, results.verifyProcessorSeconds),
    '',
    '| `audit recompute --level A` | reports a second | reports per CPU second |',
    '|---|---|---|',
    ...results.recomputations.map(
      ({ source, threads, reportsPerSecond, reportsPerCpuSecond }) =>
        `| ${source}, ${threads} threads | ${count(Math.round(reportsPerSecond))} | ${count(Math.round(reportsPerCpuSecond))} |`,
    ),
    '',
  ].join('\n')
}

const count = (value: number): string => value.toLocaleString('en-US')
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`
