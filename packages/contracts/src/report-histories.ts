/** What a report says of histories that providers tell. */
import { z } from 'zod'

export const addressHistoriesSchema = z
  .array(
    z
      .object({
        address: z.string().describe('The address, or another one of its key'),
        provider: z.string(),
        height: z.int().min(0).describe('The newest block that the provider knew then'),
        as_of: z.string().describe('Time of that block'),
        kinds: z
          .array(z.string())
          .describe('Kinds of transfers that were read whole: native, internal, token'),
        incomplete: z
          .array(z.string())
          .describe('Why it is not whole, such as truncated or contradicting_pages; empty if it is'),
      })
      .meta({ id: 'AddressHistory' }),
  )
  .optional()
  .describe('The statements of providers on all transfers of the address; absent where none was asked')

export const historyCoverageSchema = z
  .object({
    status: z.string().describe('fresh, reading or failed'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why it failed, such as call_budget, day_budget, account_day_budget or the error of the provider',
      ),
    provider: z.string().nullable(),
    pages: z.int().min(0).describe('Pages that were read'),
    pages_expected: z.int().min(0).nullable().describe('Null if the provider does not tell'),
    waiting: z.int().min(0).describe('Counterparties whose histories are still to be read'),
    chains: z
      .array(z.string())
      .optional()
      .describe('The chains whose histories are not read; absent if none but that of the report is'),
  })
  .meta({ id: 'HistoryCoverage' })
  .optional()
  .describe('The reading of the history of the address from a provider; absent where none is asked')
