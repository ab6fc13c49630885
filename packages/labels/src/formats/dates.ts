/** Converts dates of label files to UTC RFC 3339 with milliseconds. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/

/** Accepts a date (midnight UTC) or an RFC 3339 time; a missing offset means UTC. Null for anything else and for days that do not exist. */
export function parseTime(text: string): string | null {
  // Most rows of a file have the same date, so the last result is kept.
  if (text !== lastText) {
    lastTime = parseNewTime(text)
    lastText = text
  }
  return lastTime
}

let lastText = ''
let lastTime: string | null = null

function parseNewTime(text: string): string | null {
  const date = DATE.exec(text)
  if (date !== null) return utcMidnight(Number(date[1]), Number(date[2]), Number(date[3]))
  if (!DATE_TIME.test(text)) return null
  const day = DATE.exec(text.slice(0, 10))!
  if (utcMidnight(Number(day[1]), Number(day[2]), Number(day[3])) === null) return null
  const hasOffset = /(Z|[+-]\d{2}:\d{2})$/.test(text)
  const milliseconds = Date.parse(hasOffset ? text : `${text}Z`)
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString()
}

/** Midnight UTC of a calendar day; null for a day that does not exist. */
export function utcMidnight(year: number, month: number, day: number): string | null {
  const time = new Date(Date.UTC(year, month - 1, day))
  const exists =
    time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day
  return exists ? time.toISOString() : null
}

/** Midnight UTC of a day in UK form, 31/12/2026; null for anything else. */
export function dayMonthYear(text: string): string | null {
  const date = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text)
  return date === null ? null : utcMidnight(Number(date[3]), Number(date[2]), Number(date[1]))
}
