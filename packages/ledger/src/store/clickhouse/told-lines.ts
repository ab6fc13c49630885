/** The lines that an import inserts, and their sums. */
import { createSums } from '../../told-rows.js'
import type { RowSums } from '../../row-sums.js'
import { LINE } from './tables.js'
import type { Version } from './versions.js'

export interface Writing {
  readonly chain: string
  readonly run: number
  readonly write: number
}

export interface ToldVersion {
  readonly version: Version
  /** The transfer has an earlier version. */
  readonly revises: boolean
  /** More than the file that told it last. */
  readonly changes: boolean
}

/** The text of a row, of which the sums are made, is its line without the chain, which the addresses have: see `SIDE_TEXT`. */
export function toldLines(
  versions: readonly ToldVersion[],
  { chain, run, write }: Writing,
): { readonly lines: string; readonly sums: RowSums } {
  const sums = createSums()
  const lines = versions.map(({ version: one, revises, changes }) => {
    const facts = [
      one.segment,
      one.proven,
      one.failed,
      one.retired,
      one.seen,
      ...[one.other.segment, one.other.block, one.other.atS, one.other.txIndex, one.other.place],
      Number(revises),
      Number(changes),
    ]
    const line =
      `${one.id}\t${one.from}\t${one.to}\t${one.kind}\t${one.contract}\t${one.amount}\t${one.block}\t${one.atS}\t` +
      `${one.txIndex}\t${one.place}\t${one.txHash}\t${one.fromNet}\t${one.toNet}\t${facts.join('\t')}\t${run}\t${write}`
    sums.add(`side(${line}`)
    return `${chain}\t${line}`
  })
  return { lines: lines.join('\n'), sums: sums.all() }
}

const VALUES: Readonly<Record<string, string>> = {
  transfer_id: 'lower(hex(transfer_id))',
  tx_hash: 'lower(hex(tx_hash))',
  from_id: 'if(outgoing = 1, address_id, counterparty_id)',
  to_id: 'if(outgoing = 1, counterparty_id, address_id)',
  from_net: `ifNull(toString(from_net), '\\\\N')`,
  to_net: `ifNull(toString(to_net), '\\\\N')`,
}

/** SQL of ClickHouse: the text of a row of a side. */
export const SIDE_TEXT = `concat('side(', ${LINE.filter((name) => name !== 'chain')
  .map((name) => `toString(${VALUES[name] ?? name})`)
  .join(String.raw`, '\t', `)})`
