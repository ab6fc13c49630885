/** The counters of the services, read from their `/metrics`. */

/** Values of counters by `service|…labels`; only those that are part of a cost. */
export type Counts = ReadonlyMap<string, number>

const PREFIX = 'cupel_'
const SAMPLE = /^cupel_([a-z_]+)\{(.*)\} (\S+)$/
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g

/** Number of leaves made for the transparency log. */
export const LEAVES = 'transparency leaves'

/** The suffix of a group whose members share nothing. */
const UNIQUE = /\.[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Converts a series to lines of the table; the value is added to each of them. */
const LINES: Readonly<Record<string, (labels: Readonly<Record<string, string>>) => readonly string[]>> = {
  log_requests_total: ({ service = '', reader = '', request = '' }) => [
    `log requests: ${service}`,
    `${request}: ${service} ${reader.replace(UNIQUE, '')}`,
  ],
  log_empty_fetches_total: ({ service = '' }) => [`empty fetches: ${service}`],
  transparency_leaves_total: () => [LEAVES],
  log_produce_request_records_sum: ({ service = '' }) => [`records appended: ${service}`],
  database_round_trips_total: ({ service = '', statement = '' }) => [
    `database round trips: ${service}`,
    `statement: ${service} ${statement}`,
  ],
}

/** Scrapes all services. Rejects if one does not answer: a sum without it would be too low. */
export async function scrape(urls: readonly string[]): Promise<Counts> {
  const counts = new Map<string, number>()
  for (const url of urls) {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    addCounts(counts, await response.text())
  }
  return counts
}

export function addCounts(counts: Map<string, number>, exposition: string): void {
  for (const text of exposition.split('\n')) {
    if (!text.startsWith(PREFIX)) continue
    const [, name = '', labelText = '', value = ''] = SAMPLE.exec(text) ?? []
    const labels = Object.fromEntries([...labelText.matchAll(LABEL)].map(([, key, own]) => [key!, own!]))
    for (const line of LINES[name]?.(labels) ?? []) counts.set(line, (counts.get(line) ?? 0) + Number(value))
  }
}
