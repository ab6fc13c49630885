/** Versions of transfers: what is stored of one, and what a further telling makes of it. */
import type { KeptTransfer } from '../../formats/ledger-row.js'
import { hashDigits } from '../../stored-values.js'
import type { ClickHouse } from './client.js'
import { isWritten, type Written } from './runs.js'
import { UNKNOWN, UNKNOWN_PLACE } from './tables.js'

/** Where a transfer is, as a file tells it. */
interface Place {
  readonly block: string
  readonly atS: string
  readonly txIndex: string
  readonly place: string
}

/** The segments that brought, proved, called failed, retired and last told the transfer; 0 for none. */
interface Facts {
  readonly segment: number
  readonly proven: number
  readonly failed: number
  readonly retired: number
  readonly seen: number
}

export interface Version extends Place, Facts {
  /** Where another file tells it; 0 and unknown numbers if none does. */
  readonly other: Place & { readonly segment: number }
  /** In 32 hex digits. */
  readonly id: string
  readonly from: number
  readonly to: number
  readonly kind: string
  readonly contract: string
  readonly amount: string
  readonly txHash: string
  readonly fromNet: string
  readonly toNet: string
}

const NULL = String.raw`\N`

const NOWHERE: Version['other'] = {
  segment: 0,
  block: String(UNKNOWN),
  atS: String(UNKNOWN),
  txIndex: String(UNKNOWN),
  place: UNKNOWN_PLACE,
}

const numberText = (value: number | null, unknown: string = String(UNKNOWN)): string =>
  value === null ? unknown : String(value)

/** The first version of a transfer that no segment told before. */
export function toldVersion(
  id: string,
  transfer: KeptTransfer,
  { segmentId, from, to }: { readonly segmentId: number; readonly from: number; readonly to: number },
): Version {
  const { kind, contract, amount, execution, txHash, fromNet, toNet } = transfer
  return {
    ...{
      id,
      from,
      to,
      kind: kind.slice(0, 1),
      contract,
      amount: amount.toString(),
      txHash: hashDigits(txHash),
    },
    block: numberText(transfer.blockNumber),
    atS: numberText(transfer.occurredAtS),
    txIndex: numberText(transfer.txIndex),
    place: numberText(transfer.place, UNKNOWN_PLACE),
    fromNet: fromNet?.toString() ?? NULL,
    toNet: toNet?.toString() ?? NULL,
    segment: segmentId,
    proven: execution === 'proven' ? segmentId : 0,
    failed: execution === 'failed' ? segmentId : 0,
    ...{ retired: 0, seen: 0, other: NOWHERE },
  }
}

/** What every version of one id states; `KEYS` have no tab. */
const KEYS = [
  ...[
    'lower(hex(transfer_id))',
    'address_id',
    'counterparty_id',
    'kind',
    'contract',
    'toString(amount)',
    'block_number',
  ],
  ...['occurred_at_s', 'tx_index', 'place', 'lower(hex(tx_hash))', `ifNull(toString(from_net), '')`],
  ...[
    `ifNull(toString(to_net), '')`,
    'segment_id',
    'proven_segment_id',
    'failed_segment_id',
    'retired_segment_id',
  ],
  'seen_segment_id',
  ...['other_segment_id', 'other_block', 'other_at_s', 'other_tx_index', 'other_place'],
]

/** Ids of one statement. */
const MOST_IDS = 10_000

/** A statement that selects these ids, each as 16 bytes. */
const idsIn = (ids: readonly string[]): string =>
  `SELECT toFixedString(substring(unhex('${ids.join('')}'), 16 * number + 1, 16), 16) FROM numbers(${ids.length})`

const lastVersions = (ids: string, written: Written): string => `
  SELECT ${KEYS.join(', ')} FROM side
  WHERE outgoing = 1 AND ${isWritten(written)} AND transfer_id IN (${ids})
    AND (address_id, block_number) IN (SELECT from_id, block_number FROM by_id WHERE transfer_id IN (${ids}))
  ORDER BY run DESC, write DESC LIMIT 1 BY transfer_id`

function versionOf(line: readonly (string | null)[]): Version {
  const [id, from, to, kind, contract, amount, block, atS, txIndex, place, txHash, fromNet, toNet] =
    line as string[]
  const [segment, proven, failed, retired, seen, otherSegment] = line.slice(13, 19).map(Number) as number[]
  const [otherBlock, otherAtS, otherTxIndex, otherPlace] = line.slice(19) as string[]
  return {
    ...{ id: id!, from: Number(from), to: Number(to), kind: kind!, contract: contract!, amount: amount! },
    ...{ block: block!, atS: atS!, txIndex: txIndex!, place: place!, txHash: txHash! },
    ...{ fromNet: fromNet || NULL, toNet: toNet || NULL },
    ...{ segment: segment!, proven: proven!, failed: failed!, retired: retired!, seen: seen! },
    other: {
      ...{ segment: otherSegment!, block: otherBlock!, atS: otherAtS! },
      ...{ txIndex: otherTxIndex!, place: otherPlace! },
    },
  }
}

/** The last version of each of the transfers that was written. */
export async function readVersions(
  clickHouse: ClickHouse,
  written: Written,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Version>> {
  const found = new Map<string, Version>()
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const lines = await clickHouse.rows(lastVersions(idsIn(ids.slice(at, at + MOST_IDS)), written))
    for (const version of lines.map(versionOf)) found.set(version.id, version)
  }
  return found
}

/** What a file of the segment makes of a known transfer; null if it tells nothing new. See `STORE_KNOWN` of the store in Postgres. */
export function toldAgain(
  known: Version,
  told: Version,
  { segmentId, replaces }: { readonly segmentId: number; readonly replaces: boolean },
): Version | null {
  /** Nobody else sees what this import wrote. */
  const isUnseen = (segment: number): boolean => segment === 0 || segment === segmentId
  const hasBlocks = known.block !== String(UNKNOWN) && told.block !== String(UNKNOWN)
  /** The transaction of a retired transfer is in another block now. */
  const isOther = hasBlocks && known.block !== told.block
  const isMoved = known.retired !== 0 && isOther
  if ((known.seen || known.segment) === segmentId && !isMoved) return null
  const isPlaced = replaces || isMoved
  const { block, atS, txIndex, place } = isPlaced ? told : known
  const firstSeen = isUnseen(known.segment)
  return {
    ...known,
    ...{ block, atS, txIndex, place },
    other: isPlaced ? NOWHERE : isElsewhere() ? placeOf(told, segmentId) : known.other,
    segment: firstSeen ? segmentId : known.segment,
    proven: provenOf(),
    failed: failedOf(),
    retired: isPlaced ? 0 : known.retired,
    seen: firstSeen ? 0 : segmentId,
  }

  /** Nobody knows yet which of the two blocks was replaced. A payment that fails in the other one is none there. */
  function isElsewhere(): boolean {
    if (known.retired !== 0 || !isOther || told.failed !== 0) return false
    return isUnseen(known.other.segment) || Number(told.block) >= Number(known.other.block)
  }

  function provenOf(): number {
    if (isPlaced && told.failed !== 0) return 0
    return isUnseen(known.proven) ? told.proven || known.proven : known.proven
  }

  function failedOf(): number {
    if (isMoved || (replaces && told.proven !== 0)) return told.failed
    // A failure in another block says nothing of this one.
    if (!replaces && isOther && !firstSeen) return known.failed
    return isUnseen(known.failed) ? told.failed || known.failed : known.failed
  }
}

const placeOf = ({ block, atS, txIndex, place }: Version, segment: number): Version['other'] => ({
  ...{ segment, block, atS, txIndex, place },
})

/** Of a version that a file that replaces its range does not tell. What failed in the old block says nothing of the new one. */
export const movedElsewhere = (version: Version): Version => {
  const { block, atS, txIndex, place } = version.other
  return { ...version, block, atS, txIndex, place, failed: 0, other: NOWHERE }
}

/** Of a version that another file told in a range that is replaced. */
export const toldNowhereElse = (version: Version): Version => ({ ...version, other: NOWHERE })

const STATED = ['block', 'atS', 'txIndex', 'place', 'segment', 'proven', 'failed', 'retired'] as const

/** Whether the versions differ in more than the file that told the transfer last. */
export const differs = (one: Version, other: Version): boolean =>
  STATED.some((name) => one[name] !== other[name]) ||
  one.other.segment !== other.other.segment ||
  one.other.block !== other.other.block
