/** Every reason against green in a sentence, and what a person can do about it. */
import type { levelReasons } from '@cupel/domain'

type LevelReason = (typeof levelReasons)[number]

const sentences: Readonly<Record<LevelReason, string>> = {
  conflict: 'A clean and an illicit fact contradict each other.',
  stale_labels: 'A required list is too old, or never came.',
  no_sanctions_list:
    'A whole list that is required, such as that of OFAC, is not in force here. Without it no address is green.',
  list_incomplete: 'Labels of a list are missing.',
  weak_attribution: 'The label of the address is too weak for green by itself.',
  no_chain_data: 'No ledger and no provider knows the address.',
  partial: 'The search was not whole: a limit was reached, a stage was dropped, or the history has a gap.',
  no_history: 'There is no transfer at all.',
  no_traces: 'Transfers inside contracts were not imported.',
  no_tokens: 'Token transfers were not imported.',
  range_gap: 'A range of blocks is missing, or the last day is.',
  range_in_future: 'A file claims blocks that did not exist yet.',
  shortfall: 'The address sent what the known transfers do not show it received.',
  intermediary_shortfall:
    'An address that the money came through sent more than it is known to have received.',
  intermediary_unread:
    'The history of an address that the money came through, or went to, is not known whole.',
  balance_mismatch: 'A provider reports a balance that the known transfers do not explain.',
  count_mismatch: 'A provider counts other transactions than the ledger has.',
  execution_unknown: 'It is not proven that some transfers were executed.',
  unknown_order: 'The order of some transfers is not known.',
  unreadable_rows: 'Rows about this address could not be read.',
  history_truncated: 'The provider of the history gives only a part of it.',
  history_contradicting: 'The pages of the history that the provider gave contradict one another.',
  history_reorganised: 'The provider replaced blocks of the history while it was read.',
  history_unconfirmed: 'Only one provider states the history of the address, and two must agree.',
  history_disagreement: 'Two providers state different transfers of the address.',
  history_not_allowed: 'No provider may be asked for the addresses of this account.',
  history_unfinished: 'The history of the address could not be read whole from the provider.',
  uncounted_value: 'Value moved that is not counted, such as tokens outside the asset table, mints or swaps.',
  illicit_token: 'A token outside the asset table came from or went to an illicit label.',
  designated_contract: 'The contract of a token of this address has an illicit label.',
  hidden_amounts: 'The chain hides amounts, so the origin of the value cannot be known.',
  illicit_value: 'Value came from or went to illicit sources; its points stay below orange.',
  illicit_dust: 'Dust of illicit sources is too large a part of what came in.',
  weak_origin: 'Sources whose labels are too weak to score sent too large a part of what came in.',
  unattributed: 'Too little of what came in is attributed to clean services or to issuance.',
  candidate_chain: 'The address is possible on another chain too, and there it is not cleared.',
  demo_data: 'The report rests on made-up data of the demo.',
}

const remedies: Readonly<Record<LevelReason, string>> = {
  conflict: 'A person decides which of the two is right; import the label of the better source.',
  stale_labels: 'Refresh the list that is marked too old, or import its present edition.',
  no_sanctions_list: 'Import the whole OFAC list, or configure its refresh.',
  list_incomplete: 'Import the list again, whole; “cupel labels sources” names the one that lacks labels.',
  weak_attribution: 'Import a label of a source of higher confidence, or the history of the address.',
  no_chain_data: 'Import the transfers of this chain, from its first block to today.',
  partial: 'Remove the other causes that the report names, then screen again.',
  no_history: 'Screen again once the address was used.',
  no_traces: 'Import the traces of all blocks up to today.',
  no_tokens: 'Import the token transfers of all blocks up to today.',
  range_gap: 'Import the missing blocks up to today; “cupel ledger” lists the declared ranges.',
  range_in_future: 'Correct the declared range of the file and import it again.',
  shortfall:
    'Import the transfers by which the address was funded, of earlier blocks or of the missing kind.',
  intermediary_shortfall: 'Import the transfers by which that address was funded.',
  intermediary_unread:
    'Screen again when the histories of its counterparties are read, or import the transfers of the chain.',
  balance_mismatch: 'Import the missing transfers, or check the provider.',
  count_mismatch: 'Import the missing transactions, or check the provider.',
  execution_unknown: 'Import the status of these transactions.',
  unknown_order: 'Import the blocks or times of these transfers.',
  unreadable_rows: 'Correct the rows that the import named, and import the file again.',
  history_truncated: 'Configure a provider that gives long histories, or import the transfers of the chain.',
  history_contradicting: 'Screen again, or configure another provider of histories.',
  history_reorganised: 'Screen again: the history is read anew from its beginning.',
  history_unconfirmed: 'Screen again when the other provider answers, or import the transfers of the chain.',
  history_disagreement:
    'Compare both with an explorer, replace the provider that is wrong, or import the transfers of the chain.',
  history_not_allowed: 'Import the transfers of the chain, follow a node, or let the account ask providers.',
  history_unfinished: 'Screen again, or configure another provider of histories.',
  uncounted_value: 'Look at this value by hand: it cannot be attributed.',
  illicit_token: 'Look at this token and its counterparty by hand.',
  designated_contract: 'Look at the token and at the label of its contract by hand.',
  hidden_amounts: 'Ask the customer for the source of funds.',
  illicit_value: 'Read the evidence and decide by your own risk appetite.',
  illicit_dust: 'Read the evidence: somebody may have sent it without being asked.',
  weak_origin: 'Look at these sources, or import better labels of them.',
  unattributed: 'Ask for the source of funds, or import labels of those who paid.',
  candidate_chain: 'Screen the address with the name of its chain.',
  demo_data: 'Remove the demo, and screen an address of your own.',
}

/** Words outside the scorer: of a screen about the past, and of a version before 0.2.0. */
const furtherSentences = {
  chain_data_left_out: 'A provider could have contradicted the ledger, and cannot be asked about the past.',
  too_many_transfers: 'There are more transfers than the search may read.',
}

export const levelReasonsEn: Readonly<Record<string, string>> = { ...sentences, ...furtherSentences }
export const remediesEn: Readonly<Record<string, string>> = {
  ...remedies,
  chain_data_left_out: 'Screen the address as of today.',
  too_many_transfers: 'Raise the limits of the policy, or judge the address by hand.',
}
