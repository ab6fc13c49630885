/** Every reason of the recommendation for a transfer in a sentence, and what a person can do about it. */
import type { TransferReason } from '@cupel/domain'

interface ReasonWords {
  readonly text: string
  /** Empty where there is nothing to do. */
  readonly remedy: string
}

export const transferReasonWords: Readonly<Record<TransferReason, ReasonWords>> = {
  designated_counterparty: {
    text: 'An authority’s own current list names the counterparty.',
    remedy: 'Do not send or release the amount; report it as your law asks.',
  },
  counterparty_red: {
    text: 'The counterparty is red.',
    remedy: 'Read the evidence of its report before anything moves.',
  },
  counterparty_orange: {
    text: 'The counterparty is orange.',
    remedy: 'A person decides from the evidence of its report.',
  },
  counterparty_grey: {
    text: 'Too little is known of the counterparty.',
    remedy: 'The report of the counterparty says what is missing; a person decides.',
  },
  counterparty_green: { text: 'The counterparty is green.', remedy: '' },
  designated_own_address: {
    text: 'An authority’s own current list names your own address.',
    remedy: 'Move nothing; report it as your law asks. Screen the address by itself to see the list.',
  },
  own_address_red: {
    text: 'Your own address is red by its labels.',
    remedy: 'Screen your address by itself: its report names the labels.',
  },
  own_address_orange: {
    text: 'Your own address is orange by its labels.',
    remedy: 'Screen your address by itself: its report names the labels.',
  },
  missing_stages: {
    text: 'A stage of the screening was late or failed, or a provider did not answer.',
    remedy: 'Screen the transfer again, with Prefer: wait.',
  },
  score_is_lower_bound: {
    text: 'The score can be higher than it is known to be.',
    remedy: 'The report of the counterparty says what is missing; a person decides.',
  },
  lists_not_complete: {
    text: 'A required list is missing, too old or not whole.',
    remedy: 'Renew the lists, then screen the transfer again.',
  },
  illicit_funds: {
    text: 'Illicit value is a larger share of funds like these than the policy lets pass.',
    remedy: 'A person looks at the categories and shares of the funds.',
  },
  more_than_history: {
    text: 'The amount is more than the sender is known to have received in this asset.',
    remedy: 'Check the amount, and whether the ledger has the whole history of the sender.',
  },
  contradicts_ledger: {
    text: 'The ledger has the transaction, and in it no such transfer.',
    remedy: 'Compare addresses, asset and amount with the transaction.',
  },
  unknown_token: {
    text: 'The token is not in the asset table: nobody vouches for its value or its name.',
    remedy: 'Check the contract of the token with its issuer.',
  },
  lying_symbol: {
    text: 'The contract is not that of the asset with this symbol.',
    remedy: 'Do not credit the amount as that asset.',
  },
  zero_amount: {
    text: 'The amount is zero: such transfers put look-alike addresses into histories.',
    remedy: 'Copy no address from this transfer.',
  },
  self_transfer: { text: 'Sender and receiver are one address.', remedy: 'Check the addresses.' },
  burn_address: {
    text: 'The counterparty is an address without an owner: what is sent there is lost.',
    remedy: 'Check the address of the receiver.',
  },
  token_contract: {
    text: 'The counterparty is the contract of a token: what is sent there is mostly lost.',
    remedy: 'Check the address of the receiver.',
  },
  counterparty_is_contract: { text: 'The counterparty is a contract.', remedy: '' },
  not_searched: {
    text: 'The ledger has too many transfers of the own address to look for this one by its hash.',
    remedy: 'Compare it with the chain, or screen it as planned, without its hash.',
  },
  not_in_ledger: {
    text: 'The ledger does not have the transaction: nobody read it, and the transfer is taken as stated.',
    remedy: 'Compare it with the chain, import its block, or screen it as planned, without its hash.',
  },
  told_by_provider: { text: 'A provider says that the transaction has this transfer.', remedy: '' },
  contradicts_provider: {
    text: 'A provider has the transaction, and in it no such transfer.',
    remedy: 'Compare addresses, asset and amount with the transaction.',
  },
  transaction_failed: {
    text: 'The transaction failed: it moved nothing.',
    remedy: 'Credit nothing for it.',
  },
  transaction_unconfirmed: {
    text: 'The transaction is not in a block yet, or in one that may still be replaced.',
    remedy: 'Screen the transfer again after some blocks.',
  },
  other_senders: {
    text: 'The transaction also spends from other addresses than the stated one.',
    remedy: 'Screen the other senders too.',
  },
  providers_disagree: {
    text: 'Two providers say different things of the transaction.',
    remedy: 'Compare it with the chain.',
  },
  not_found_by_provider: {
    text: 'A provider does not know the transaction.',
    remedy: 'Compare hash and chain with the transaction, and screen the transfer again later.',
  },
  provider_unread: {
    text: 'The transaction could not be read from a provider.',
    remedy: 'Screen the transfer again, with Prefer: wait.',
  },
}

/** A reason that a later scorer has is shown by its code. */
export function transferReasonText(code: string): ReasonWords {
  return Object.hasOwn(transferReasonWords, code)
    ? transferReasonWords[code as TransferReason]
    : { text: code.replaceAll('_', ' '), remedy: '' }
}
