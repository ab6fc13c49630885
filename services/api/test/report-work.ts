/** Share links and cases of reports, in the states that tests need. */
import { MAX_NOTES } from '@cupel/cases'
import type { Database } from '@cupel/postgres'
import { MAX_OPENS_PER_MINUTE, MAX_USABLE_SHARES } from '@cupel/sharing'
import { call, type CallOptions, type Reply } from './http-client.js'

type Send = (url: string, method: string, path: string, options: CallOptions) => Promise<Reply>

export interface MadeShare {
  readonly shareId: string
  readonly token: string
}

export async function newShare(
  { url, key, reportId }: { url: string; key: string; reportId: string },
  send: Send = call,
): Promise<MadeShare> {
  const made = await send(url, 'POST', `/v1/reports/${reportId}/share-links`, { key, body: {} })
  if (made.status !== 201) throw new Error(made.text)
  return { shareId: String(made.json()['share_id']), token: tokenOf(String(made.json()['url'])) }
}

export const tokenOf = (url: string): string => new URL(url).pathname.split('/').at(-1)!

/** Marks the link as opened as often as it may be within the current minute. */
export async function exhaustShare(database: Database, shareId: string): Promise<void> {
  await database.execute(
    'UPDATE sharing.share SET window_started_at = clock_timestamp(), window_opens = $2 WHERE share_id = $1',
    [shareId, MAX_OPENS_PER_MINUTE],
  )
}

/** Adds copies of the given link up to the limit of usable links per report. */
export async function fillShares(database: Database, shareId: string): Promise<void> {
  await database.execute(
    `INSERT INTO sharing.share (share_id, token_digest, report_id, account_id, livemode, label, created_at, created_by, actor, expires_at)
     SELECT share_id || n, sha256((share_id || n)::bytea), report_id, account_id, livemode, label, created_at, created_by, actor, expires_at
     FROM sharing.share, generate_series(2, $2::int) AS n WHERE share_id = $1`,
    [shareId, MAX_USABLE_SHARES],
  )
}

/** Adds notes up to the limit of a case. The case has one entry, a note. */
export async function fillNotes(database: Database, reportId: string): Promise<void> {
  await database.execute(
    `INSERT INTO cases.entry (report_id, version, account_id, livemode, kind, text, made_at, key_id, holder, actor)
     SELECT report_id, n, account_id, livemode, kind, text, made_at, key_id, holder, actor
     FROM cases.entry, generate_series(2, $2::int) AS n WHERE report_id = $1 AND version = 1`,
    [reportId, MAX_NOTES],
  )
  await database.execute('UPDATE cases.report_case SET version = $2 WHERE report_id = $1', [
    reportId,
    MAX_NOTES,
  ])
}
