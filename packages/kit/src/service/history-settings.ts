/** Settings of histories on demand. */
import { z } from 'zod'
import { flag, milliseconds } from './setting-types.js'

const whole = z.coerce.number().int()

export const settingsOfHistories = {
  CUPEL_HISTORIES: flag
    .default(false)
    .describe(
      'Ask the providers of CUPEL_CHAIN_DATA_FILE for all transfers of screened addresses and of those that their value went through.',
    ),
  CUPEL_HISTORY_FOLDER: z
    .string()
    .min(1)
    .optional()
    .describe('Folder in which the histories are kept that providers told. Needed with CUPEL_HISTORIES.'),
  CUPEL_HISTORY_MAX_AGE_MS: milliseconds(10_000, 86_400_000)
    .default(600_000)
    .describe('Age from which a history is read on; only what is new is asked for.'),
  CUPEL_HISTORY_CALLS_PER_SCREEN: whole
    .min(1)
    .max(10_000)
    .default(100)
    .describe(
      'Most calls to providers for one screened address and its counterparties, while its history counts as fresh.',
    ),
  CUPEL_HISTORY_CALLS_PER_DAY: whole
    .min(0)
    .max(100_000_000)
    .default(50_000)
    .describe('Most calls for histories to one provider on a UTC day, by all scorers together.'),
  CUPEL_HISTORY_CALLS_PER_SECOND: z.coerce
    .number()
    .min(0.1)
    .max(1_000)
    .default(3)
    .describe('Most calls for histories to one provider in a second, by all scorers together.'),
  CUPEL_HISTORY_COUNTERPARTIES: whole
    .min(0)
    .max(1_000)
    .default(25)
    .describe('Most counterparties of one address whose histories are read, those of most value first.'),
}
