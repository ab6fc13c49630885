/** A screening as of a past moment as callers read it. It is an answer, not a report. */
import { instant, reportExample, reportSchema } from '@cupel/contracts'
import type { AsOfScreening } from '@cupel/evidence/proofs'
import { z } from 'zod'

const pastReport = reportSchema
  .omit({ report_id: true, report_url: true })
  .meta({ id: 'PastReport' })
  .describe(
    'The report that would have been made at that moment; `generated_at` is the moment. It has no id and no link, because no report was made.',
  )

const asOfSchema = z.object({
  object: z.literal('as_of_screening').describe('Tells it from a report.'),
  as_of: instant.describe('The moment, UTC.'),
  lists: z
    .object({
      label_snapshot: z.string().describe('State of the lists then, as reports name it.'),
      as_of: z.string().describe('Time of the newest publication of that state.'),
      sha256: z.string().describe('Hash by which reports name that state in the log.'),
    })
    .meta({ id: 'PastLists' }),
  policy: z
    .object({
      id: z.string(),
      version: z.int().min(1),
      sha256: z.string(),
      activated_at: z
        .string()
        .nullable()
        .describe('Since when it was in force; null in the sandbox, whose policy never changes.'),
    })
    .meta({ id: 'PastPolicy' }),
  ledger_snapshot: z.string().nullable().describe('State of the ledger then; null if there was no ledger.'),
  left_out: z
    .array(z.string())
    .describe(
      'The facts that nobody can ask about the past: `chain_data` is the word of providers of balance, transactions and code. Later versions may have more words.',
    ),
  report: pastReport,
})

export type AsOfAnswer = z.infer<typeof asOfSchema>

const pastExample: z.infer<typeof pastReport> & { report_id?: string; report_url?: string } = {
  ...reportExample,
}
delete pastExample.report_id
delete pastExample.report_url

const asOfExample: AsOfAnswer = {
  object: 'as_of_screening',
  as_of: reportExample.generated_at,
  lists: {
    label_snapshot: reportExample.label_snapshot,
    as_of: '2026-11-21T06:00:00.000Z',
    sha256: '2'.repeat(64),
  },
  policy: { ...reportExample.policy, sha256: '0'.repeat(64), activated_at: '2026-11-20T09:00:00.000Z' },
  ledger_snapshot: null,
  left_out: ['chain_data'],
  report: pastExample,
}

export const asOfComponent = asOfSchema.meta({
  id: 'AsOfScreening',
  description: 'The screening of an address as of a past moment; not a report.',
  examples: [asOfExample],
})

export function asOfAnswer({
  asOf,
  labelSetSeq,
  labelsAsOf,
  labelStateSha256: sha256,
  policy: { activatedAt, ...policy },
  ledgerSeq,
  report,
}: AsOfScreening): AsOfAnswer {
  return {
    object: 'as_of_screening',
    as_of: asOf,
    lists: { label_snapshot: String(labelSetSeq), as_of: labelsAsOf, sha256 },
    policy: { ...policy, activated_at: activatedAt },
    ledger_snapshot: ledgerSeq === 0 ? null : String(ledgerSeq),
    left_out: ['chain_data'],
    report,
  }
}
