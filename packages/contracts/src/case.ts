/** The case of a report as callers receive it: one zod schema is validation, type and API description. */
import { z } from 'zod'

export const dispositions = ['open', 'escalated', 'cleared'] as const
export type Disposition = (typeof dispositions)[number]

export const entryKinds = [
  'note',
  'disposition_changed',
  'disposition_proposed',
  'proposal_declined',
  'assigned',
  'file_attached',
] as const
export type EntryKind = (typeof entryKinds)[number]

const time = (what: string) => z.string().describe(`${what}; UTC, RFC 3339 with milliseconds.`)

export const casePersonSchema = z
  .object({
    key_id: z.string().describe('The API key of the call.'),
    person: z.string().nullable().describe('The person, where one was signed in.'),
    key_name: z
      .string()
      .optional()
      .describe('The name that the key had then; absent if it had none, and in entries of earlier versions.'),
  })
  .meta({ id: 'CasePerson' })
export type CasePerson = z.infer<typeof casePersonSchema>

export const caseAssigneeSchema = z
  .object({
    key_id: z.string().describe('The API key that the assignee has, or signs in with.'),
    person: z.string().nullable().describe('The person; null if the key itself is assigned.'),
    key_name: z.string().optional().describe('The name that the key had then; absent if it had none.'),
    has_left: z
      .boolean()
      .optional()
      .describe('True if no key of the assignee works any more; absent in entries and in documents.'),
  })
  .meta({ id: 'CaseAssignee' })
export type CaseAssignee = z.infer<typeof caseAssigneeSchema>

const dueOn = z
  .string()
  .nullable()
  .optional()
  .describe('The day, of UTC, on which the case is due: `2026-12-31`. Null without one.')
const assignee = caseAssigneeSchema.nullable().optional()

export const caseFileSchema = z
  .object({
    name: z.string(),
    media_type: z.string().describe('As the bytes show, whatever the name says.'),
    bytes: z.int().describe('Size of the file.'),
    sha256: z.string().describe('SHA-256 of the file, in hexadecimal.'),
    content_sha256: z
      .string()
      .describe('SHA-256 of the sealed text that is stored for the file, as the log has it.'),
  })
  .meta({ id: 'CaseFile' })
export type CaseFileDocument = z.infer<typeof caseFileSchema>

const caseFields = {
  report_id: z.string(),
  address: z.string().describe('The screened address, as the report has it.'),
  chain: z.string(),
  level: z.string().describe('The level of the report.'),
  score: z.number().describe('The score of the report.'),
  disposition: z
    .string()
    .nullable()
    .describe('`open`, `escalated` or `cleared`; null while nobody has worked on the report.'),
  version: z.int().min(0).describe('Number of entries in the history. Each entry adds one.'),
  needs_second_person: z
    .boolean()
    .describe('True if another person must confirm that this report is cleared.'),
  proposal: z
    .object({
      disposition: z.string(),
      reason: z.string(),
      by: casePersonSchema,
      at: time('When it was proposed'),
      version: z.int().describe('The version of its entry.'),
      may_confirm: z
        .boolean()
        .optional()
        .describe('True if the caller is another person than the proposer; absent in lists.'),
    })
    .meta({ id: 'CaseProposal' })
    .nullable()
    .describe('The disposition that waits for a second person; null if none does.'),
  assignee: assignee.describe('Who works on it; null if nobody is assigned.'),
  due_on: dueOn,
  is_overdue: z
    .boolean()
    .optional()
    .describe('True if the day has passed and the report is not cleared; absent in documents.'),
  opened_at: z.string().nullable().describe('When the first entry was made; null without one.'),
  changed_at: z.string().nullable().describe('When the last entry was made; null without one.'),
}

export const caseSummarySchema = z.object(caseFields).meta({ id: 'CaseSummary' })
export type CaseSummary = z.infer<typeof caseSummarySchema>

export const caseEntrySchema = z
  .object({
    version: z.int().describe('Place in the history, from 1.'),
    kind: z
      .string()
      .describe(
        '`note`, `disposition_changed`, `disposition_proposed`, `proposal_declined`, `assigned` or `file_attached`; others may be added.',
      ),
    at: time('When it was made'),
    by: casePersonSchema,
    text: z.string().describe('The note, or the reason of the decision or the assignment; empty for a file.'),
    disposition: z
      .string()
      .nullable()
      .describe('The disposition that was set, proposed or declined; null for other entries.'),
    previous_disposition: z
      .string()
      .nullable()
      .describe(
        'The disposition before a change; null for other entries, and where the change opened the case.',
      ),
    proposal_version: z
      .int()
      .nullable()
      .describe('The entry that this one confirms or declines; null if it does neither.'),
    assignee: assignee.describe('Who was assigned, null for nobody; absent for other entries.'),
    due_on: dueOn.describe('The day that was set, null for none; absent for other entries.'),
    file: caseFileSchema.optional().describe('The file that was attached; absent for other entries.'),
  })
  .meta({ id: 'CaseEntry' })
export type CaseEntry = z.infer<typeof caseEntrySchema>

export const reportCaseSchema = z
  .object({
    ...caseFields,
    history: z.array(caseEntrySchema).describe('Oldest first. Nothing is ever removed.'),
  })
  .meta({ id: 'ReportCase' })
export type ReportCase = z.infer<typeof reportCaseSchema>
