/** The parts of the statements that read transfers from ClickHouse. Only numbers and digits are written into a statement. */
import { listAssets, measuredAs } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { asked } from '../postgres-parts.js'
import { hasBegun, isWritten, type WrittenState } from './runs.js'
import { UNKNOWN, UNKNOWN_PLACE } from './tables.js'

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

interface AssetFacts {
  readonly contracts: string
  readonly measured: string
  readonly multipliers: string
  readonly dust: string
}
const factsOfChains = new Map<string, AssetFacts>()

/** Contracts are in the asset table, so that none has a quote. */
const texts = (values: readonly string[]): string =>
  `CAST([${values.map((one) => `'${one}'`).join()}], 'Array(String)')`

/** Value of all assets in one unit, in which the dust of each is the same whole number. */
function factsOf(chain: string): AssetFacts {
  const known = factsOfChains.get(chain)
  if (known !== undefined) return known
  const assets = listAssets().filter((one) => one.chain === chain)
  const measured = assets.map((one) => measuredAs(one))
  const dust = measured.reduce((all, one) => (all / gcd(all, one.dust)) * one.dust, 1n)
  const facts = {
    contracts: texts(assets.map(({ contract }) => contract)),
    measured: texts(measured.map(({ contract }) => contract)),
    multipliers: `CAST([${measured.map((one) => `'${one.factor * (dust / one.dust)}'`).join()}], 'Array(UInt256)')`,
    dust: `toUInt256('${dust}')`,
  }
  factsOfChains.set(chain, facts)
  return facts
}

/** Value in that unit; 0 for an asset outside the table. */
export function weightIn(chain: string): string {
  const { contracts, multipliers } = factsOf(chain)
  return `amount * ${multipliers}[indexOf(${contracts}, contract)]`
}

export const dustIn = (chain: string): string => factsOf(chain).dust

/** The asset in which a transfer is measured. */
export function measuredIn(chain: string): string {
  const { contracts, measured } = factsOf(chain)
  return `${measured}[indexOf(${contracts}, contract)]`
}

const IS_SEEN = `retired_segment_id = 0 AND (failed_segment_id = 0 OR kind = 'n' AND proven_segment_id > 0)`

export interface Asked {
  readonly written: WrittenState
  readonly numbers: readonly number[]
  /** Only one side: 1 for transfers that the address sent. */
  readonly outgoing?: 0 | 1
}

/**
 * The last version of each transfer of the addresses, if it is visible: a subquery. Few transfers have a further version. One pass over all versions
 * costs less for an address of some thousand rows, and up to five times as much for one of a million, because it sorts them.
 */
export function seenRows({ written, numbers, outgoing }: Asked, columns: readonly string[]): string {
  const own =
    `address_id IN (${numbers.join()}) AND ${isWritten(written)}` +
    (outgoing === undefined ? '' : ` AND outgoing = ${outgoing}`)
  const list = columns.join(', ')
  return `(
    SELECT ${list} FROM side WHERE ${own} AND ${hasBegun(written)} AND revises = 0 AND ${IS_SEEN}
      AND (address_id, transfer_id) NOT IN (SELECT address_id, transfer_id FROM side WHERE ${own} AND revises = 1)
    UNION ALL
    SELECT ${list} FROM (
      SELECT * FROM side WHERE ${own} AND revises = 1
      ORDER BY run DESC, write DESC LIMIT 1 BY address_id, outgoing, transfer_id) WHERE ${IS_SEEN})`
}

export const known = (column: string): string =>
  `if(${column} = ${column === 'place' ? UNKNOWN_PLACE : UNKNOWN}, '', toString(${column}))`

/** The numbers of the addresses that the ledger knows. */
export async function numbersOf(
  database: Queryable,
  chain: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ address: string; number: number | null }>(
    { name: 'ledger.numbers-of', text: `SELECT asked.address, asked.id AS number FROM ${asked('$2')}` },
    [chain, addresses],
  )
  return new Map(rows.flatMap(({ address, number }) => (number === null ? [] : [[address, number] as const])))
}

const BLOCK_TIMES = {
  name: 'ledger.block-times',
  text: `SELECT DISTINCT ON (b.height) b.height, b.at_s FROM ledger.block b JOIN ledger.segment told USING (segment_id)
         WHERE b.chain = $1 AND told.ledger_seq <= $2 AND b.height = ANY ($3::int8[])
         ORDER BY b.height, told.ledger_seq DESC, b.at_s`,
}

/** Times of blocks as of a state, for transfers whose file has none. */
export async function blockTimes(
  database: Queryable,
  { chain, ledgerSeq }: { readonly chain: string; readonly ledgerSeq: number },
  heights: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (heights.length === 0) return new Map()
  const rows = await database.query<{ height: number; at_s: number }>(BLOCK_TIMES, [
    chain,
    ledgerSeq,
    heights,
  ])
  return new Map(rows.map(({ height, at_s: atS }) => [String(height), String(atS)]))
}
