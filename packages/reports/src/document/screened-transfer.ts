/** A screened transfer as callers read it: what the report of its counterparty says of it, with words for the reasons. */
import { instant, judgedTransferSchema, reportExample, reportSchema, type Report } from '@cupel/contracts'
import { z } from 'zod'
import { transferReasonText } from './transfer-reasons.en.js'

const { shape: judged } = judgedTransferSchema
const { shape: report } = reportSchema
const { shape: risk } = report.risk

const transferSchema = z.object({
  transfer_id: report.report_id.describe('Also the id of the report of the counterparty.'),
  livemode: z.boolean(),
  reference: z.string().nullable().describe('Your own reference.'),
  recommendation: judged.recommendation,
  level: risk.level.describe('Level of the counterparty.'),
  score: risk.score,
  reasons: z
    .array(
      z
        .object({
          code: z.string(),
          recommendation: z.string().describe('The recommendation of this reason by itself.'),
          text: z.string(),
          remedy: z.string().nullable().describe('The remedy of a person; null without one.'),
        })
        .meta({ id: 'TransferReason' }),
    )
    .describe('Why. The worst of them decides; later versions may have more codes.'),
  chain: z.string(),
  direction: judged.direction,
  from: z.string(),
  to: z.string(),
  transaction_hash: judged.transaction_hash,
  planned: judged.planned,
  asset: judged.asset,
  amount: judged.amount,
  amount_base_units: judged.amount_base_units,
  value_usd: judged.value_usd,
  priced_on: judged.priced_on,
  funds: judged.funds,
  ledger: judged.ledger,
  counterparty: z
    .object({
      address: z.string(),
      report_id: report.report_id,
      report_url: report.report_url,
      level: risk.level,
      score: risk.score,
      level_reasons: risk.level_reasons,
      score_is_lower_bound: risk.score_is_lower_bound,
      categories: risk.categories,
    })
    .meta({ id: 'TransferCounterparty' })
    .describe(
      'The sender of an incoming transfer, the receiver of an outgoing one. Its report has the evidence.',
    ),
  generated_at: instant,
  policy: report.policy,
  scorer_version: z.string(),
})

export type Transfer = z.infer<typeof transferSchema>

/** Null for a report of an address that was screened by itself. */
export function transferOf(of: Report): Transfer | null {
  if (of.transfer === undefined) return null
  const { reasons, own_address: own, recommendation, direction, ...terms } = of.transfer
  const { level, score, level_reasons, score_is_lower_bound, categories } = of.risk
  const { report_id, report_url, address } = of
  const [from, to] = direction === 'incoming' ? [address, own] : [own, address]
  return {
    transfer_id: report_id,
    livemode: of.livemode,
    reference: of.customer_reference,
    ...{ recommendation, level, score },
    reasons: reasons.map(({ code, recommendation: by }) => {
      const { text, remedy } = transferReasonText(code)
      return { code, recommendation: by, text, remedy: remedy === '' ? null : remedy }
    }),
    ...{ chain: of.chain, direction, from, to, ...terms },
    counterparty: {
      ...{ address, report_id, report_url, level, score, level_reasons, score_is_lower_bound, categories },
    },
    generated_at: of.generated_at,
    policy: of.policy,
    scorer_version: of.scorer_version,
  }
}

/** The text of the transfer of a recorded report; null for a report without one. */
export function transferText(document: string): string | null {
  const transfer = transferOf(JSON.parse(document) as Report)
  return transfer === null ? null : JSON.stringify(transfer)
}

export const transferExample: Transfer = transferOf({
  ...reportExample,
  transfer: {
    recommendation: 'reject',
    reasons: [
      { code: 'designated_counterparty', recommendation: 'reject' },
      { code: 'counterparty_red', recommendation: 'reject' },
    ],
    direction: 'incoming',
    own_address: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    transaction_hash: null,
    planned: true,
    asset: { symbol: 'USDT', contract: '0xdac17f958d2ee523a2206206994597c13d831ec7', is_known: true },
    amount: '250.5',
    amount_base_units: '250500000',
    value_usd: '250.52505',
    priced_on: '2026-11-20',
    funds: null,
    ledger: { status: 'planned', snapshot: null },
  },
})!

export const transferComponent = transferSchema.meta({
  id: 'Transfer',
  description: 'The recommendation for a transfer, with its reasons.',
  examples: [transferExample],
})
