/** The messages of a replay while it runs and when it is done. */
import type { RebuildProgress, RebuildResult } from '@cupel/projections'

const NOTE_INTERVAL_MS = 1_000

/** A line per second of reading, and one per phase. */
export function progressNotes(
  note: (text: string) => void,
  now: () => number,
): (progress: RebuildProgress) => void {
  let phase = ''
  let notedAt = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (progress.phase === phase && now() - notedAt < NOTE_INTERVAL_MS) return
    phase = progress.phase
    notedAt = now()
    note(`${progress.phase}: ${count(progress.records)} of ${count(progress.total)} records`)
  }
}

/** `accept`: the accepted number of differences. Any other number switches nothing. */
export function replaySummary(result: RebuildResult, accept?: number): string {
  const { readModel, records, skipped, durationMs, comparison } = result
  const seconds = durationMs / 1_000
  const rate = seconds > 0 ? ` (${count(Math.round(records / seconds))} per second)` : ''
  return [
    `${readModel}: ${count(records)} records in ${seconds.toFixed(1)} s${rate}.`,
    ...(skipped === 0
      ? []
      : [
          `${count(skipped)} of them cannot be read and were skipped, as in service: they are not accepted work (cupel dead-letters list).`,
        ]),
    ...(comparison.length === 0
      ? ['Nothing was in service to compare with.']
      : comparison.map(comparisonLine)),
    ...conclusion(result, accept),
  ].join('\n')
}

function conclusion(result: RebuildResult, accept: number | undefined): string[] {
  const { differences, isNewDefinition, switched } = result
  const expected =
    isNewDefinition && differences > 0
      ? ['The tables that were in service are of another version, so that differences are expected.']
      : []
  if (switched) return [...expected, 'The rebuilt tables are in service.']
  return accept === undefined
    ? [
        `Nothing was changed: ${count(differences)} DIFFERENCES. Find their cause first: the log may lack records, or something else changed the tables.`,
        `To put the rebuilt tables into service all the same: --accept ${differences} --reason "…"`,
      ]
    : [
        `Nothing was changed: ${count(accept)} differences were accepted, and there are ${count(differences)}.`,
      ]
}

function comparisonLine(table: RebuildResult['comparison'][number]): string {
  const { table: name, rowsAfter, rowsOnlyBefore, rowsOnlyAfter, isEqual } = table
  if (isEqual) return `  ${name}: ${count(rowsAfter)} rows, the same as in service.`
  return `  ${name}: DIFFERENT: ${count(rowsOnlyBefore)} rows only in service, ${count(rowsOnlyAfter)} only in the rebuild, of ${count(table.rowsBefore)} and ${count(rowsAfter)}.`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
