/** The followers of nodes: what they imported, whether they run, and how far behind they are. */
import type { Queryable } from '@cupel/postgres'

export interface Follower {
  readonly chain: string
  /** First height that is not imported. */
  readonly nextHeight: number
  /** Newest block of the node, and its time in seconds since 1970; null before its first answer. */
  readonly headHeight: number | null
  readonly headAtS: number | null
  /** Time of the last imported block, in seconds since 1970. */
  readonly importedAtS: number | null
  /** Why it cannot go on. */
  readonly fault: string | null
  /** Whether it found that blocks of the ledger were replaced. */
  readonly isReorganised: boolean
}

export interface SeenFollower extends Follower {
  readonly seenAgeMs: number
  /** Blocks between the newest block of the node and the last imported one. */
  readonly lagBlocks: number | null
  /** Age of the last imported block. */
  readonly lagS: number | null
}

/** A follower tells its state every few seconds. */
const MAX_UNSEEN_MS = 60_000

export async function tellFollower(database: Queryable, told: Follower): Promise<void> {
  const { chain, nextHeight, headHeight, headAtS, importedAtS, fault, isReorganised } = told
  await database.execute(
    `INSERT INTO ledger.follower (chain, seen_at, next_height, head_height, head_at_s, imported_at_s, fault, is_reorganised)
     VALUES ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7)
     ON CONFLICT (chain) DO UPDATE SET seen_at = excluded.seen_at, next_height = excluded.next_height,
       head_height = excluded.head_height, head_at_s = excluded.head_at_s, imported_at_s = excluded.imported_at_s, fault = excluded.fault,
       is_reorganised = excluded.is_reorganised`,
    [chain, nextHeight, headHeight, headAtS, importedAtS, fault, isReorganised],
  )
}

/** Nobody follows the chain any more; false if nobody did. */
export const forgetFollower = async (database: Queryable, chain: string): Promise<boolean> =>
  (await database.execute('DELETE FROM ledger.follower WHERE chain = $1', [chain])) > 0

interface FollowerRow extends Record<string, unknown> {
  chain: string
  next_height: number
  head_height: number | null
  head_at_s: number | null
  imported_at_s: number | null
  fault: string | null
  is_reorganised: boolean
  seen_age_ms: number
  lag_s: number | null
}

export async function listFollowers(database: Queryable): Promise<readonly SeenFollower[]> {
  const rows = await database.query<FollowerRow>(
    `SELECT chain, next_height, head_height, head_at_s, imported_at_s, fault, is_reorganised,
       (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::int8 AS seen_age_ms,
       (extract(epoch FROM clock_timestamp()) - imported_at_s)::int8 AS lag_s
     FROM ledger.follower ORDER BY chain`,
  )
  return rows.map((row) => ({
    chain: row.chain,
    nextHeight: row.next_height,
    headHeight: row.head_height,
    headAtS: row.head_at_s,
    importedAtS: row.imported_at_s,
    fault: row.fault,
    isReorganised: row.is_reorganised,
    seenAgeMs: row.seen_age_ms,
    lagBlocks: row.head_height === null ? null : Math.max(0, row.head_height - row.next_height + 1),
    lagS: row.lag_s === null ? null : Math.max(0, row.lag_s),
  }))
}

/** What is at fault, as a sentence; null if it runs. */
export function followerFault({ chain, fault, seenAgeMs, nextHeight }: SeenFollower): string | null {
  const at = `The follower of ${chain} at height ${nextHeight}`
  if (fault !== null) return `${at} cannot go on: ${fault}.`
  return seenAgeMs > MAX_UNSEEN_MS ? `${at} was last seen ${Math.round(seenAgeMs / 1_000)} s ago.` : null
}

/** The name of a followed file has the range and the hash of its last block, so the log tells which chain of blocks the ledger has. */
const FOLLOWED = /^follow-[A-Z0-9]+-(\d+)-(\d+)-(0x)?([0-9a-f]{64})\./

export interface FollowedSegment {
  readonly ledgerSeq: number
  readonly from: number
  readonly to: number
  /** Hash of the block `to`, with 0x where the chain writes it so. */
  readonly lastHash: string
  readonly covers: readonly string[]
}

/** The segments of followers that are in force, by their last height, ascending: a replacing one supersedes those of its range. */
export async function followedSegments(
  database: Queryable,
  chain: string,
): Promise<readonly FollowedSegment[]> {
  const rows = await database.query<{
    ledger_seq: number
    file_name: string
    covers: string[]
    replaces: boolean
  }>(
    `SELECT ledger_seq, file_name, covers, replaces FROM ledger.segment
     WHERE chain = $1 AND ledger_seq IS NOT NULL AND file_name LIKE 'follow-%' ORDER BY ledger_seq`,
    [chain],
  )
  let segments: FollowedSegment[] = []
  for (const { ledger_seq: ledgerSeq, file_name: name, covers, replaces } of rows) {
    const match = FOLLOWED.exec(name)
    if (match === null) continue
    const [from, to] = [Number(match[1]), Number(match[2])]
    if (replaces) segments = segments.filter((one) => one.to < from || one.to > to)
    segments.push({ ledgerSeq, from, to, lastHash: `${match[3] ?? ''}${match[4]}`, covers })
  }
  return segments.sort((a, b) => a.to - b.to || a.ledgerSeq - b.ledgerSeq)
}
