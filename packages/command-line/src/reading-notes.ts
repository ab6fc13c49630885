/** Prints a line from time to time while much is read. */
const NOTE_INTERVAL_MS = 2_000

export function readingNotes(
  note: (text: string) => void,
  now: () => number,
): (progress: { readonly records: number; readonly total: number }) => void {
  let notedAt = now()
  return ({ records, total }) => {
    if (now() - notedAt < NOTE_INTERVAL_MS) return
    notedAt = now()
    note(`${records.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} records`)
  }
}
