/** Where all value came from and went to, as a report shows it. */
import type {
  ExposureBreakdown,
  ExposureCounterparty,
  ExposurePart,
  ExposureRecord,
  Report,
} from '@cupel/contracts'
import { decimalAmount } from '../tables/asset-table.js'

type ShownExposure = Report['exposure'][number]
type ShownCounterparty = ShownExposure['by_category'][number]['counterparties'][number]

const PPM = 1_000_000n
/** Digits of a US dollar in a record. */
const USD_DECIMALS = 6

/** The breakdown of a record, in its order. */
export function shownBreakdown({ breakdown }: Pick<ExposureRecord, 'breakdown'>): Report['exposure'] {
  return breakdown.map((one): ShownExposure => ({
    direction: one.direction === 'in' ? 'incoming' : 'outgoing',
    asset: one.asset,
    total: amountText(one.total, one),
    total_usd: usdText(one.microUsd),
    total_complete: one.totalComplete,
    by_category: one.parts.map((part) => shownPart(part, one)),
  }))
}

function shownPart(part: ExposurePart, whole: ExposureBreakdown): ShownExposure['by_category'][number] {
  return {
    category: part.category,
    relation: part.relation === '' ? null : part.relation,
    value: amountText(part.amount, whole),
    value_usd: usdText(part.microUsd),
    share: whole.totalComplete ? shareOf(BigInt(part.amount), BigInt(whole.total)) : null,
    counterparties: part.counterparties.map((one) => shownCounterparty(one, whole)),
    counterparties_omitted: part.counterpartiesOmitted,
  }
}

function shownCounterparty(one: ExposureCounterparty, whole: ExposureBreakdown): ShownCounterparty {
  return {
    address: one.address,
    entity: one.entity,
    value: amountText(one.amount, whole),
    value_usd: usdText(one.microUsd),
    transfers: one.transfers,
  }
}

const amountText = (units: string, { decimals, asset }: ExposureBreakdown): string =>
  `${decimalAmount(BigInt(units), decimals)} ${asset}`

const usdText = (microUsd: string | null): string | null =>
  microUsd === null ? null : decimalAmount(BigInt(microUsd), USD_DECIMALS)

/** In parts per million, rounded half up, as a fraction. */
function shareOf(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number((2n * part * PPM + whole) / (2n * whole)) / Number(PPM)
}
