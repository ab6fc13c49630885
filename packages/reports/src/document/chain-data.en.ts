/** The words for what providers of chain data state, and for why an answer of theirs is missing. */

/** Why a provider gave no usable answer. */
export const providerErrorsEn: Readonly<Record<string, string>> = {
  timeout: 'it took too long',
  unreachable: 'it could not be reached',
  rate_limited: 'it limits the rate of calls',
  http_status: 'it answered with an error',
  redirected: 'it leads to another server',
  too_large: 'its answer is too large',
  malformed: 'its answer cannot be read',
  refused: 'it refused the call',
  wrong_chain: 'it serves another chain',
  wrong_address: 'it answered about another address',
  stale: 'its state is too old',
  busy: 'too many calls wait for it',
  circuit_open: 'it failed several times and is left out for a while',
  late: 'its answer came too late',
}

/** Why the reading of a history failed: an error of the provider, or one of these. */
export const historyReasonsEn: Readonly<Record<string, string>> = {
  ...providerErrorsEn,
  call_budget: 'the calls that one screen may make are used up',
  day_budget: 'the calls of the day are used up',
  account_day_budget: 'the calls that your account may take of the day are used up',
  counterparty_limit: 'there are more counterparties than are read',
  refused_import: 'the ledger refuses what the provider gave',
  busy: 'too many histories wait',
  rate_limited: 'the provider limits the rate',
  truncated: 'the provider gives only a part',
  contradicting_pages: 'its pages contradict one another',
  reorganised: 'blocks were replaced meanwhile',
  not_allowed: 'no provider may be asked for the addresses of this account',
  unconfirmed: 'no second provider confirms it',
  disagreement: 'two providers state different transfers',
}

export const chainFactsEn: Readonly<Record<string, string>> = {
  block: 'the hash of a block',
  balance: 'the balance',
  tx_count: 'the number of transactions',
  is_contract: 'a contract at the address',
}
