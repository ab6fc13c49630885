/** Share links as the API shows them, and what their routes have in common. */
import { casePersonSchema } from '@cupel/contracts'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { Actor, Owner, Share } from '../index.js'
import { z } from 'zod'
import { apiCallOf } from '@cupel/gate/audit'
import { type ReadReportLeaf, type ReportReader, reportPath } from '@cupel/reports/routes'
import type { KeyedCall, PageTokens } from '@cupel/gate/http'

export interface SharingParts {
  readonly database: Database
  readonly reports: ReportReader
  readonly tokens: PageTokens
  readonly personalData: PersonalData
  readonly readLeaf: ReadReportLeaf
  /** The address that a token opens, for people. */
  readonly shareUrlOf: (token: string) => string
}

export const SHARING_TAG = 'Share links'

export const sharePath = reportPath.extend({
  share_id: z
    .string()
    .regex(/^shr_[0-9a-f]{20}$/)
    .describe('The id of the share link. It opens nothing.'),
})

const time = (what: string) => z.string().describe(`${what}; UTC, RFC 3339 with milliseconds.`)

const shareFields = {
  share_id: z.string(),
  report_id: z.string(),
  label: z.string().describe('For whom or what it was made; may be empty.'),
  status: z.string().describe('`usable`, `expired` or `revoked`.'),
  created_at: time('When it was made'),
  created_by: casePersonSchema,
  expires_at: time('From then on it opens nothing'),
  revoked_at: z.string().nullable().describe('When it was revoked; null if it was not.'),
  opens: z.int().min(0).describe('How often it has been opened.'),
  last_opened_at: z.string().nullable().describe('When it was last opened; null if it never was.'),
}
export const shareComponent = z
  .object(shareFields)
  .meta({ id: 'Share', description: 'A link to a report, without the link itself.' })
export const newShareComponent = z
  .object({
    ...shareFields,
    url: z
      .string()
      .describe('The link. It contains the token, and only this answer has it.')
      .meta({ format: 'uri' }),
  })
  .meta({ id: 'NewShare', description: 'With the link, which only this answer shows.' })

export const shareExample: z.infer<typeof shareComponent> = {
  share_id: 'shr_0a1b2c3d4e5f60718293',
  report_id: '9f2c4a1be07d6358',
  label: 'Auditor, fourth quarter',
  status: 'usable',
  created_at: '2026-11-21T09:00:00.012Z',
  created_by: { key_id: '8f2k1m0a', person: null },
  expires_at: '2026-11-28T09:00:00.012Z',
  revoked_at: null,
  opens: 0,
  last_opened_at: null,
}

export function shareDocument(share: Share): z.infer<typeof shareComponent> {
  return {
    share_id: share.shareId,
    report_id: share.reportId,
    label: share.label,
    status: share.status,
    created_at: share.createdAt,
    created_by: { key_id: share.createdBy, person: share.actor === '' ? null : share.actor },
    expires_at: share.expiresAt,
    revoked_at: share.revokedAt,
    opens: share.opens,
    last_opened_at: share.lastOpenedAt,
  }
}

/** The actor who changes a link, and the call that the event of the change records. `status` is its success status. */
export function authorOf(call: KeyedCall, status: number): Owner & Actor {
  const { accountId, livemode, keyId } = call.caller
  return {
    accountId,
    livemode,
    keyId,
    person: call.caller.session?.actor ?? '',
    call: apiCallOf(call, status),
  }
}
