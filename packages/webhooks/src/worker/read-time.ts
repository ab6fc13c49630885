/** The time of an event as UTC, RFC 3339 with milliseconds. Throws RangeError for a text that is no time. */
export function readTime(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new RangeError(`${text} is not a time`)
  return at.toISOString()
}
