/** What is recommended for the transfer whose counterparty a report is about, in words. */
import type { Report } from '@cupel/contracts'
import type { Field, TransferView } from './document.js'
import type { Strings } from './strings.en.js'
import { transferReasonText } from './transfer-reasons.en.js'
import { amountText, dateText, dollarText, nameOf, shareText, visibleText } from './writing.js'

type Transfer = NonNullable<Report['transfer']>

const recommendations: Readonly<Record<string, string>> = {
  allow: 'Allow',
  review: 'Review',
  reject: 'Reject',
}

/** Of a ledger and a transaction. */
const ledgerStatuses: Readonly<Record<string, string>> = {
  planned: 'not asked: the transfer is planned',
  seen: 'has this transfer',
  contradicted: 'has the transaction, and in it no such transfer',
  not_searched: 'has too many transfers of the own address to look for this one',
  not_seen: 'does not have the transaction',
  no_ledger: 'there is no ledger of the chain',
}

/** Of a provider and a transaction. */
const providerStatuses: Readonly<Record<string, string>> = {
  seen: 'has this transfer',
  contradicted: 'has the transaction, and in it no such transfer',
  failed: 'says that the transaction failed',
  unconfirmed: 'has the transaction in no block, or in one that may still be replaced',
  other_senders: 'says that others pay in the transaction too',
  disagreement: 'say different things of the transaction',
}

/** Null for a report of an address that was screened by itself. */
export function transferView(report: Report, strings: Strings): TransferView | null {
  const { transfer } = report
  if (transfer === undefined) return null
  const word = nameOf(recommendations, transfer.recommendation)
  const what = `${amountText(transfer.amount)} ${assetName(transfer)}`
  return {
    title: 'Transfer',
    recommendation: transfer.recommendation,
    headline: `${word}: ${transfer.direction === 'incoming' ? 'receive' : 'send'} ${what}`,
    reasons: transfer.reasons.map(({ code }) => {
      const { text, remedy } = transferReasonText(code)
      return { code, text: visibleText(remedy === '' ? text : `${text} ${remedy}`) }
    }),
    fields: fieldsOf(report, transfer, strings),
    fundsTitle:
      transfer.direction === 'incoming'
        ? 'Where funds of the sender came from'
        : 'Where funds of the receiver went',
    funds: fundsOf(transfer, strings),
  }
}

const assetName = ({ asset }: Transfer): string => visibleText(asset.symbol ?? 'of an unknown token')

function fieldsOf(report: Report, transfer: Transfer, strings: Strings): readonly Field[] {
  const { direction, asset, transaction_hash: hash, value_usd: usd, priced_on: pricedOn } = transfer
  const code = (label: string, value: string): Field => ({ label, value: visibleText(value), isCode: true })
  const [from, to] =
    direction === 'incoming' ? [report.address, transfer.own_address] : [transfer.own_address, report.address]
  const at = pricedOn === null ? '' : ` at the price of ${dateText(pricedOn)}`
  return [
    code('From', from),
    code('To', to),
    { label: 'Amount', value: `${amountText(transfer.amount)} ${assetName(transfer)}`, isAmount: true },
    { label: 'Value', value: usd === null ? strings.noPrice : `${dollarText(usd, strings)}${at}` },
    ...(asset.contract === null ? [] : [code('Contract', asset.contract)]),
    ...(hash === null ? [{ label: 'Transaction', value: 'planned, none yet' }] : [code('Transaction', hash)]),
    readBy(transfer.ledger),
    ...(transfer.ledger.lookup === undefined
      ? []
      : [
          {
            label: 'Provider',
            value: visibleText(`told nothing: ${transfer.ledger.lookup.replaceAll('_', ' ')}`),
          },
        ]),
  ]
}

/** Who read the transaction, and what it says. */
const readBy = ({ status, provider }: Transfer['ledger']): Field =>
  provider === undefined
    ? { label: 'Ledger', value: nameOf(ledgerStatuses, status) }
    : { label: 'Provider', value: visibleText(`${provider} ${nameOf(providerStatuses, status)}`) }

const OF_TRANSFER = 3

function fundsOf({ funds }: Transfer, strings: Strings): TransferView['funds'] {
  if (funds === null) return null
  return {
    head: ['Category', 'How', 'Share', 'Of this transfer'],
    amountColumns: [OF_TRANSFER],
    rows: funds.by_category.map(({ category, relation, share, amount }) => [
      nameOf(strings.categories, category),
      relation === null ? '' : nameOf(strings.relations, relation),
      shareText(share, strings),
      amountText(amount),
    ]),
  }
}
