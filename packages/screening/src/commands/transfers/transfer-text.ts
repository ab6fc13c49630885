/** A screened transfer for a person: what is recommended, why, and the report with the evidence. */
import { table, printable, type Paint, type Style } from '@cupel/command-line'
import { en, nameOf, scoreText } from '@cupel/reports/document'

/** Of the answer of the API, what the text shows. */
export interface ShownTransfer {
  readonly transfer_id: string
  readonly recommendation: string
  readonly level: string
  readonly score: number
  readonly chain: string
  readonly direction: string
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly asset: { readonly symbol: string | null; readonly contract: string | null }
  readonly value_usd: string | null
  readonly transaction_hash: string | null
  readonly reference: string | null
  readonly generated_at: string
  readonly reasons: readonly {
    readonly code: string
    readonly text: string
    readonly remedy: string | null
  }[]
  readonly funds: {
    readonly total_complete: boolean
    readonly by_category: readonly {
      readonly category: string
      readonly share: number
      readonly amount: string
    }[]
  } | null
  readonly counterparty: { readonly report_url: string; readonly score_is_lower_bound: boolean }
}

export interface TransferPage {
  readonly items: readonly ShownTransfer[]
  readonly next_page_token: string | null
}

const styles: Readonly<Record<string, Style>> = { allow: 'green', review: 'yellow', reject: 'red' }

/** Text without a line break at its end. */
export function transferText(transfer: ShownTransfer, paint: Paint): string {
  const { recommendation, from, to, chain, value_usd: usd, transaction_hash: hash } = transfer
  const word = paint(styles[recommendation] ?? 'bold', printable(recommendation.toUpperCase()))
  return [
    `${word}  ${transfer.direction} ${amountOf(transfer)} on ${printable(chain)}`,
    `  from ${printable(from)}`,
    `  to   ${printable(to)}`,
    `  ${hash === null ? 'planned' : `transaction ${printable(hash)}`}`,
    ...(usd === null ? [] : [`  worth about ${printable(usd)} USD`]),
    `  the other side: ${otherSide(transfer)}${boundOf(transfer)}`,
    ...transfer.reasons.map(
      ({ code, text, remedy }) =>
        `- ${printable(text)}${remedy === null ? '' : ` ${printable(remedy)}`} (${printable(code)})`,
    ),
    ...fundsOf(transfer),
    `Report: ${printable(transfer.counterparty.report_url)}`,
  ].join('\n')
}

/** No points where they would look like good news. */
const otherSide = (transfer: ShownTransfer): string =>
  `${nameOf(en.levels, transfer.level)} ${scoreText(transfer)}`.trimEnd()

const boundOf = ({ counterparty, score }: ShownTransfer): string =>
  counterparty.score_is_lower_bound && score < 100
    ? ', or more: something that the score needs was missing'
    : ''

const PER_CENT = 100

function fundsOf({ funds, direction }: ShownTransfer): readonly string[] {
  if (funds === null) return []
  const side = direction === 'incoming' ? 'Funds of the sender came from' : 'Funds of the receiver went to'
  const known = funds.total_complete ? '' : ', as far as the ledger knows'
  return [
    `${side}${known}:`,
    ...funds.by_category.map(
      ({ category, share, amount }) =>
        `  ${Number((share * PER_CENT).toFixed(2))} % ${printable(category)} (${printable(amount)})`,
    ),
  ]
}

const amountOf = ({ amount, asset }: ShownTransfer): string =>
  printable(`${amount} ${asset.symbol ?? `of the token ${asset.contract ?? ''}`}`)

/** One line for each transfer. */
export function transferListText({ items, next_page_token: next }: TransferPage): string {
  if (items.length === 0) return 'No transfers were screened.'
  const rows = items.map((one) => [
    ...[one.transfer_id, one.generated_at.slice(0, 'YYYY-MM-DDTHH:MM'.length), one.direction],
    ...[amountOf(one), one.recommendation, otherSide(one), printable(one.reference ?? '-')],
  ])
  const head = ['ID', 'AT', 'DIRECTION', 'AMOUNT', 'RECOMMENDED', 'OTHER SIDE', 'REFERENCE']
  const more = next === null ? [] : [`More: --page-token ${next}`]
  return [table([head, ...rows]), ...more].join('\n')
}
