/** The words of a report in sentences. A word that this version does not know is shown as it is. */

const meanings: Readonly<Record<string, string>> = {
  conflict: 'A clean and an illicit statement name the owner. A person must decide.',
  stale_labels: 'A required list is too old or never came, or the labels do not follow the log.',
  no_sanctions_list: 'No whole sanctions list is in force here, so nothing is green.',
  list_incomplete: 'A list has fewer or more labels than its publication states.',
  weak_attribution: 'What is said of the owner is not sure enough.',
  no_chain_data: 'Neither a ledger nor a provider knows the history of this address.',
  partial: 'Only a part of its history could be examined.',
  no_history: 'It has no transfers.',
  no_traces: 'Transfers inside contracts were not imported.',
  no_tokens: 'Token transfers were not imported.',
  range_gap: 'A range of blocks is missing, or the last day is.',
  range_in_future: 'A file claims blocks that do not exist yet.',
  shortfall: 'It sent what it had not received.',
  balance_mismatch: 'A provider reports a balance that the known transfers do not explain.',
  count_mismatch: 'A provider counts other transactions than the ledger has.',
  chain_data_left_out: 'A provider could have contradicted the ledger, and cannot be asked about the past.',
  execution_unknown: 'The execution of a transfer is not proven.',
  unknown_order: 'The order of two transfers is not known.',
  intermediary_shortfall:
    'An address that the money came through sent more than it is known to have received.',
  unreadable_rows: 'Rows about this address could not be read.',
  uncounted_value: 'Value moved that is not counted, such as tokens outside the asset table, mints or swaps.',
  illicit_token: 'A token outside the asset table came from or went to an illicit label.',
  designated_contract: 'The contract of a token of this address has an illicit label.',
  hidden_amounts: 'The chain hides amounts, so the origin of the value cannot be known.',
  illicit_value: 'Value came from or went to illicit sources; its points stay below orange.',
  illicit_dust: 'Dust of illicit sources is too large a part of what came in.',
  weak_origin: 'Sources whose labels are too weak to score sent too large a part of what came in.',
  unattributed: 'Too little of what came in is attributed to clean services or to issuance.',
  candidate_chain: 'The address is possible on another chain too, and there it is not cleared.',
}

const unexamined: Readonly<Record<string, string>> = {
  cross_chain: 'value that moved to another chain',
  internal_transfers: 'transfers inside contracts',
  clusters: 'other addresses of the same owner',
  amounts: 'amounts, because the chain hides them',
}

const known = (words: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined

export const meaningOf = (reason: string): string => known(meanings, reason) ?? 'See the documentation.'
export const notExaminedText = (word: string): string => known(unexamined, word) ?? word
