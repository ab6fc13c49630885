import { topicOf } from '@cupel/contracts'

/** Where the log states segments and price tables. */
export const LEDGER_PLACE = { topic: topicOf('LedgerSegmentImported'), partition: 0 }
