/** GET /v1/usage: how often the account's keys were used today and this month, against their plans. */
import { listKeys, type ApiKey } from '@cupel/gate/access'
import type { Plan, PlanName } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { countUsage, type KeyDay } from '../../read-model/index.js'
import { instant } from '@cupel/contracts'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Answer, type Endpoint } from '@cupel/gate/http'

export interface UsageParts {
  readonly database: Queryable
  readonly plansInForce: Readonly<Record<PlanName, Plan>>
}

const count = z.int().min(0)
export const usageCounts = z
  .object({
    calls: count.describe('Every call with the key, refused ones included.'),
    screens: count.describe('Addresses screened one by one; those of bulk jobs are not among them.'),
    problems: count.describe('Calls that were refused or failed.'),
    rate_limited: count.describe('Calls over the rate limit (429).'),
  })
  .meta({ id: 'UsageCounts' })
type Counts = z.infer<typeof usageCounts>

const periodSchema = usageCounts
  .extend({ from: instant.describe('Begin of the day or month, UTC.') })
  .meta({ id: 'UsagePeriod' })

const usageSchema = z
  .object({
    today: periodSchema,
    month: periodSchema,
    counted_from: z.string().nullable().describe('Always null: every call of the month is counted.'),
    days: z
      .array(usageCounts.extend({ day: z.string().describe('YYYY-MM-DD, UTC.') }).meta({ id: 'UsageDay' }))
      .describe('Days of the month with calls, newest first.'),
    keys: z
      .array(
        z
          .object({
            key_id: z.string(),
            name: z.string(),
            scope: z.string(),
            status: z.string().describe('active, expired or revoked'),
            last_used_at: z.string().nullable().describe('To the minute; null if it was never used.'),
            plan: z
              .object({
                name: z.string(),
                calls_per_second: z.number().describe('Sustained rate.'),
                burst: z.int().describe('Calls that may come at once.'),
                on_empty: z.string().describe('refuse: further calls are 429. fair-use: they are logged.'),
              })
              .meta({ id: 'KeyPlan' }),
            today: usageCounts,
            month: usageCounts,
          })
          .meta({ id: 'KeyUsage' }),
      )
      .describe('Every key of the environment, in the order of their issue.'),
  })
  .meta({ id: 'Usage' })

const counted: Counts = { calls: 12, screens: 9, problems: 1, rate_limited: 0 }
const example: z.infer<typeof usageSchema> = {
  today: { ...counted, from: '2026-11-21T00:00:00.000Z' },
  month: { ...counted, from: '2026-11-01T00:00:00.000Z' },
  counted_from: null,
  days: [{ ...counted, day: '2026-11-21' }],
  keys: [
    {
      key_id: '8f2k1m0a',
      name: 'screening',
      scope: 'read-write',
      status: 'active',
      last_used_at: '2026-11-21T09:00:00.000Z',
      plan: { name: 'pro', calls_per_second: 10, burst: 50, on_empty: 'refuse' },
      today: counted,
      month: counted,
    },
  ],
}

export function getUsage({ database, plansInForce }: UsageParts): Endpoint {
  return keyedEndpoint({
    operationId: 'getUsage',
    method: 'GET',
    path: '/v1/usage',
    tag: 'Usage',
    summary: 'Get the use of keys in figures',
    description:
      'Calls of today and of this month (UTC), for each key of the account in the key’s environment, with its plan. The figures are counted from the audit log, so a call appears in them a moment after it was answered.',
    access: 'read-only',
    answers: [
      {
        status: 200,
        description: 'The figures.',
        contentType: 'application/json',
        schema: usageSchema,
        example,
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }): Promise<Answer> {
      const now = new Date().toISOString()
      const month = `${now.slice(0, 'YYYY-MM'.length)}-01`
      const { accountId, livemode, environment } = caller
      const [issued, keyDays] = await Promise.all([
        listKeys(database, { accountId }),
        countUsage(database, { accountId, livemode, since: month }),
      ])
      const own = issued.filter((key) => key.environment === environment)
      return jsonAnswer(200, JSON.stringify(answerOf(own, keyDays, plansInForce, { now, month })))
    },
  })
}

function answerOf(
  keys: readonly ApiKey[],
  keyDays: readonly KeyDay[],
  plans: UsageParts['plansInForce'],
  { now, month }: { readonly now: string; readonly month: string },
): z.infer<typeof usageSchema> {
  const today = now.slice(0, 'YYYY-MM-DD'.length)
  const isToday = ({ day }: KeyDay): boolean => day === today
  const days = [...new Set(keyDays.map(({ day }) => day))].sort().reverse()
  return {
    today: { ...sumOf(keyDays.filter(isToday)), from: `${today}T00:00:00.000Z` },
    month: { ...sumOf(keyDays), from: `${month}T00:00:00.000Z` },
    counted_from: null,
    days: days.map((day) => ({ ...sumOf(keyDays.filter((one) => one.day === day)), day })),
    keys: keys.map((key) => {
      const ofKey = keyDays.filter(({ keyId }) => keyId === key.keyId)
      const { refillPerSecond, burst, onEmpty } = plans[key.plan]
      return {
        key_id: key.keyId,
        name: key.name,
        scope: key.scope,
        status: statusOf(key, now),
        last_used_at: key.lastUsedAt,
        plan: { name: key.plan, calls_per_second: refillPerSecond, burst, on_empty: onEmpty },
        today: sumOf(ofKey.filter(isToday)),
        month: sumOf(ofKey),
      }
    }),
  }
}

function sumOf(days: readonly KeyDay[]): Counts {
  const sum = (field: 'calls' | 'screens' | 'problems' | 'rateLimited'): number =>
    days.reduce((total, day) => total + day[field], 0)
  return {
    calls: sum('calls'),
    screens: sum('screens'),
    problems: sum('problems'),
    rate_limited: sum('rateLimited'),
  }
}

function statusOf({ revokedAt, expiresAt }: ApiKey, now: string): string {
  if (revokedAt !== null && revokedAt <= now) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}
