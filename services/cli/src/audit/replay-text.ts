/** What a replay says while it runs and when it is done. */
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

export function replaySummary({
  readModel,
  records,
  durationMs,
  comparison,
  switched,
}: RebuildResult): string {
  const seconds = durationMs / 1_000
  const rate = seconds > 0 ? ` (${count(Math.round(records / seconds))} per second)` : ''
  return [
    `${readModel}: ${count(records)} records in ${seconds.toFixed(1)} s${rate}.`,
    ...(comparison.length === 0
      ? ['Nothing of this log was in service to compare with.']
      : comparison.map(comparisonLine)),
    switched ? 'The rebuilt tables are in service.' : 'Nothing was changed.',
  ].join('\n')
}

function comparisonLine({
  table,
  rowsBefore,
  rowsAfter,
  isEqual,
}: RebuildResult['comparison'][number]): string {
  if (isEqual) return `  ${table}: ${count(rowsAfter)} rows, the same as in service.`
  const kind = rowsBefore === rowsAfter ? 'with other contents' : `instead of ${count(rowsBefore)}`
  return `  ${table}: ${count(rowsAfter)} rows ${kind}: DIFFERENT from what was in service.`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
