/** Watches as the API shows them, and what their routes have in common. */
import { instant } from '@cupel/contracts'
import type { Plan, PlanName } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { readJudgedLists } from '@cupel/labels/read-model'
import type { Actor, Owner, Watch } from '../../index.js'
import { z } from 'zod'
import { apiCallOf } from '@cupel/gate/audit'
import type { KeyedCall, PageTokens } from '@cupel/gate/http'

export interface WatchParts {
  readonly database: Database
  readonly tokens: PageTokens
  readonly plansInForce: Readonly<Record<PlanName, Plan>>
  /** The prefix of report pages, before the report id; known once the API listens. */
  readonly reportPageUrl: () => string
}

export const watchPath = z.object({
  watch_id: z
    .string()
    .regex(/^wat_[0-9a-f]{20}$/)
    .describe('The id of the watch.'),
})
export type WatchPath = z.infer<typeof watchPath>

const HUNDREDTHS = 100

export const watchComponent = z
  .object({
    watch_id: z.string(),
    address: z.string().describe('As it was sent when the watch was made.'),
    chain: z.string().describe('Chain code.'),
    reference: z.string().nullable().describe('Your own reference; null if there is none.'),
    until: instant
      .nullable()
      .describe('From then on the address is not decided again; null: without an end.'),
    threshold: z.number().describe('Points by which the score must move to be a change.'),
    digest: z.boolean().describe('True if it is part of the daily digest.'),
    status: z.string().describe('`active`, or `ended` from its `until` on.'),
    created_at: instant.describe('When it was made, UTC, RFC 3339 with milliseconds.'),
    list_reasons: z
      .array(z.string())
      .describe(
        'Why the lists let no address be green now, in the words of `level_reasons`; empty while each required list is here and fresh. ' +
          'A list that grows old decides no watch again, so the last report does not say it.',
      ),
    last_report: z
      .object({
        report_id: z.string(),
        level: z.string(),
        score: z.number(),
        generated_at: instant.describe('When it was decided, UTC, RFC 3339 with milliseconds.'),
      })
      .meta({ id: 'WatchedReport' })
      .nullable()
      .describe('The last decision; null until the address was decided for the first time.'),
  })
  .meta({ id: 'Watch' })

export const watchExample: z.infer<typeof watchComponent> = {
  watch_id: 'wat_0a1b2c3d4e5f60718293',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  reference: 'customer 4711',
  until: null,
  threshold: 10,
  digest: false,
  status: 'active',
  created_at: '2026-11-21T09:00:00.012Z',
  list_reasons: [],
  last_report: {
    report_id: '9f2c4a1be07d6358',
    level: 'red',
    score: 100,
    generated_at: '2026-11-21T09:00:01.040Z',
  },
}

/** The reasons of the lists as they are now. The sandbox reads no lists. */
export async function listReasons(
  database: Database,
  { livemode }: Pick<Owner, 'livemode'>,
): Promise<readonly string[]> {
  if (!livemode) return []
  const lists = await readJudgedLists(database, new Date())
  return [
    ...(lists.isStale || lists.hasMissing ? ['stale_labels'] : []),
    ...(lists.hasSanctionsList ? [] : ['no_sanctions_list']),
    ...(lists.isIncomplete ? ['list_incomplete'] : []),
  ]
}

export function watchDocument(watch: Watch, reasons: readonly string[]): z.infer<typeof watchComponent> {
  const { lastReport } = watch
  return {
    watch_id: watch.watchId,
    address: watch.address,
    chain: watch.chain,
    reference: watch.reference,
    until: watch.until,
    threshold: watch.thresholdHundredths / HUNDREDTHS,
    digest: watch.digest,
    status: watch.status,
    created_at: watch.createdAt,
    list_reasons: [...reasons],
    last_report:
      lastReport === null
        ? null
        : {
            report_id: lastReport.reportId,
            level: lastReport.level,
            score: lastReport.score,
            generated_at: lastReport.reportedAt,
          },
  }
}

export const ownerOf = ({ caller }: KeyedCall): Owner => ({
  accountId: caller.accountId,
  livemode: caller.livemode,
})

/** The actor who changes a watch, and the call that the event of the change records. `status` is its success status. */
export function authorOf(call: KeyedCall, status: number): Owner & Actor {
  const { keyId } = call.caller
  return { ...ownerOf(call), keyId, person: call.caller.session?.actor ?? '', call: apiCallOf(call, status) }
}
