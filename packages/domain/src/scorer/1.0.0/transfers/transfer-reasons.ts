/** Every reason that the recommendation for a transfer can state. Each has a sentence and a remedy wherever a person reads it. */
export const transferReasons = [
  'designated_counterparty',
  'counterparty_red',
  'counterparty_orange',
  'counterparty_grey',
  'counterparty_green',
  'missing_stages',
  'score_is_lower_bound',
  'lists_not_complete',
  'illicit_funds',
  'more_than_history',
  'contradicts_ledger',
  'not_searched',
  'unknown_token',
  'lying_symbol',
  'zero_amount',
  'self_transfer',
  'burn_address',
  'token_contract',
  'counterparty_is_contract',
  'not_in_ledger',
] as const
export type TransferReason = (typeof transferReasons)[number]
