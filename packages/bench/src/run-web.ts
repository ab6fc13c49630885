/**
 * `web`: how long the server takes for pages of the console if the view has many reports of one account and one address. The times are those
 * of a visitor on the same machine, one call after another, from the call to the last byte.
 */
import { hash } from 'node:crypto'
import { openDatabase, type Database } from '@cupel/postgres'
import { textMac } from '@cupel/system-tests'
import { callApi } from './jobs.js'
import { percentileOf } from './load.js'
import { runningLog } from './log-connection.js'
import type { BenchOptions, Outcome } from './options.js'
import { newKey, withSystem, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Reports with a whole document, the newest; older ones have an empty one, because no page of them is asked for. */
const WHOLE = 10_000
const TARGET_MS = 50
/** A statement that takes too long is ended. */
const ROWS_AT_ONCE = 10_000
/** Copies the row of a report: each copy is a second older than the one before. */
const COPY = `INSERT INTO report_view.report
  SELECT (jsonb_populate_record(r, jsonb_build_object('report_id', n, 'log_offset', -i,
    'ended_at', r.ended_at - i * interval '1 second',
    'level', CASE WHEN i % 100 = 0 THEN 'red' WHEN i % 2 = 0 THEN 'green' ELSE 'grey' END,
    'document', CASE WHEN i <= ${WHOLE} THEN replace(r.document, r.report_id, n) ELSE '{}' END))).*
  FROM report_view.report AS r, generate_series($2::int, $3::int) AS i, LATERAL (SELECT lpad(to_hex(i), 16, '0')) AS of (n)
  WHERE r.report_id = $1`

export async function runWeb(options: BenchOptions): Promise<Outcome> {
  const { size, seconds, say } = options
  const conditions = conditionsOf(options)
  return await withSystem(options, options.profiles[0]!, async (system) => {
    const key = await newKey(system, 'Web')
    const id = await screen(system.line.base_url, key)
    say(`a view of ${size} reports`)
    await fill(system, id, size)
    const cookie = await signIn(system.line.console_url!, key)
    const rows: (readonly [path: string, calls: string, p50: string, p95: string])[] = []
    for (const path of pagesOf(id)) {
      say(path)
      const times = await timesOf(system.line.console_url! + path, cookie, seconds)
      const shown = [0.5, 0.95].map((share) => percentileOf(times, share).toFixed(1))
      rows.push([`\`${path}\``, thousands(times.length), shown[0]!, shown[1]!])
    }
    const head = ['page', 'calls', 'p50, ms', 'p95, ms']
    return {
      table: `${conditions} ${system.profile} profile; ${thousands(size)} reports in the view. The target is a p95 of at most ${TARGET_MS} ms.\n\n${table(head, rows)}`,
      figures: { conditions, size, rows },
      isRight: true,
    }
  })
}

const pagesOf = (id: string): readonly string[] => [
  ...['/', '/history', `/history?q=${ADDRESS}`, '/history?level=red', `/reports/${id}`],
  ...[`/screen?address=${ADDRESS}`, '/inbox', '/cases', '/watches', '/bulk', '/lists', '/labels'],
  ...['/policy', '/webhooks', '/usage', '/audit'],
]

async function screen(baseUrl: string, key: string): Promise<string> {
  const response = await callApi(`${baseUrl}/v1/screen`, key, { address: ADDRESS })
  const text = await response.text()
  if (!response.ok) throw new Error(`The screen failed: ${response.status} ${text}`)
  return (JSON.parse(text) as { readonly report_id: string }).report_id
}

/** Begins once the row of the report is there. */
async function fill({ home }: RunningSystem, id: string, size: number): Promise<void> {
  const connection = await runningLog(home)
  if (connection.kind !== 'embedded') throw new Error('web runs on the embedded profile')
  const database = openDatabase({
    ...{ connectionString: connection.databaseUrl, maxConnections: 1, applicationName: 'bench-web' },
  })
  try {
    const isThere = async (): Promise<boolean> =>
      (await database.query('SELECT 1 FROM report_view.report WHERE report_id = $1', [id])).length > 0
    while (!(await isThere()));
    for (let first = 1; first <= size; first += ROWS_AT_ONCE)
      await database.query(COPY, [id, first, Math.min(size, first + ROWS_AT_ONCE - 1)])
    await addMacs(database, home)
    await database.query('ANALYZE report_view.report')
  } finally {
    await database.close()
  }
}

/** Of the whole documents, as the projector makes them: without, each page would look for records. */
async function addMacs(database: Database, home: string): Promise<void> {
  const rows = await database.query<{ id: string; account: string; livemode: boolean; document: string }>(
    `SELECT report_id AS id, account_id AS account, livemode, document FROM report_view.report WHERE document <> '{}'`,
  )
  await database.execute(
    `UPDATE report_view.report SET document_mac = mac
     FROM unnest($1::text[], $2::text[]) AS made (id, mac) WHERE report_id = id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ id, account, livemode, document }) =>
        textMac(
          home,
          'document of report v1',
          JSON.stringify([account, livemode, id, hash('sha256', document)]),
        ),
      ),
    ],
  )
}

/** The cookie of a session. */
async function signIn(consoleUrl: string, key: string): Promise<string> {
  const form = await fetch(`${consoleUrl}/sign-in`)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
  const visit = cookiesOf(form)
  const response = await fetch(`${consoleUrl}/sign-in`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf, key }) },
    headers: { cookie: visit, 'sec-fetch-site': 'same-origin' },
  })
  if (response.status !== 303) throw new Error(`The sign-in was answered with ${response.status}`)
  return cookiesOf(response)
}

const cookiesOf = ({ headers }: Response): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0]!)
    .join('; ')

/** In milliseconds. Rejects if a call is answered with something else than the page. */
async function timesOf(url: string, cookie: string, seconds: number): Promise<readonly number[]> {
  const times: number[] = []
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const since = performance.now()
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    await response.arrayBuffer()
    times.push(performance.now() - since)
    if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`)
  }
  return times
}
