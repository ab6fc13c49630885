/** POST /v1/policy/what-if: decides the account's newest reports again with another policy. Nothing is changed. */
import { changedSetting, changeFinding } from '@cupel/gate/routes'
import type { Caller } from '@cupel/gate/access'
import { riskLevels } from '@cupel/contracts'
import {
  compilePolicy,
  defaultPolicy,
  escapeStep,
  lintPolicy,
  policyFault,
  type CompiledPolicy,
  type PolicyDocument,
  type PolicyFinding,
} from '@cupel/domain'
import { createSlots } from '@cupel/kit/concurrency'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { comparePolicies, type PolicyDiff } from '../index.js'
import type { Queryable } from '@cupel/postgres'
import { openSharedInputs, readReportsAt } from '@cupel/evidence/proofs'
import { listReportPlaces } from '@cupel/reports/read-model'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Answer, type Endpoint, refuse, type Refusal } from '@cupel/gate/http'
import { noPolicyYet, policyDocumentComponent, type PolicyInForce } from './get-policy.js'

export interface WhatIfParts {
  readonly policyInForce: (caller: Caller) => Promise<PolicyInForce | null>
  readonly compare: (
    caller: Caller,
    order: { a: CompiledPolicy; b: CompiledPolicy; maxReports: number },
  ) => Promise<WhatIf>
}

export interface WhatIf {
  readonly diff: PolicyDiff
  /** Time of the oldest report that was asked for; UTC, null without reports. */
  readonly since: string | null
}

/** Reports that one call decides again: some seconds of one core. */
const MAX_REPORTS = 500
const DEFAULT_REPORTS = 200
/** Reports that an answer shows. */
const MAX_EXAMPLES = 50
/** Calls that an instance works on at once, so that screenings keep their core. */
const MAX_RUNNING = 1
/** Accounts whose call is worked on or waits. */
const MAX_ACCOUNTS = 5
const BUSY_RETRY_SECONDS = 5

const whatIfBody = z
  .strictObject({
    policy: policyDocumentComponent,
    max_reports: z
      .int()
      .min(1)
      .max(MAX_REPORTS)
      .optional()
      .describe(`Newest reports to decide again; ${DEFAULT_REPORTS} where it is absent.`),
  })
  .meta({ id: 'WhatIfRequest' })
type WhatIfBody = z.infer<typeof whatIfBody>

export const policyName = z
  .object({ id: z.string(), version: z.int(), sha256: z.string() })
  .meta({ id: 'PolicyName' })
const outcome = z
  .object({
    level: z.string(),
    score: z.number(),
    level_reasons: z.array(z.string()),
    decisive: z.string().nullable().describe('Category and origin of the decisive evidence.'),
  })
  .meta({ id: 'WhatIfOutcome' })
const level = z.string().describe(`${riskLevels.join(', ')}; later versions may have others.`)

const whatIfSchema = z
  .object({
    current: policyName,
    proposed: policyName,
    findings: z
      .array(changeFinding)
      .describe('Warnings about the proposed policy: choices that deserve a second look.'),
    settings: z.array(changedSetting).describe('The settings in which the two policies differ.'),
    reports: z.int().min(0).describe('Reports that were decided again, the newest of the account.'),
    undecidable: z.int().min(0).describe('Reports that could not be decided again.'),
    since: z.string().nullable().describe('Time of the oldest of these reports; null without reports.'),
    changed_levels: z.int().min(0),
    changed_scores: z.int().min(0),
    changed_recommendations: z.int().min(0).describe('Transfers for which another recommendation follows.'),
    levels: z
      .array(z.object({ from: level, to: level, count: z.int().min(1) }).meta({ id: 'LevelChange' }))
      .describe('Reports by their level under the current policy and under the proposed one.'),
    examples: z
      .array(
        z
          .object({
            report_id: z.string(),
            address: z.string(),
            chain: z.string(),
            generated_at: z.string(),
            from: outcome,
            to: outcome,
            causes: z
              .array(z.string())
              .describe('Settings of which each by itself changes the level; empty if it takes several.'),
          })
          .meta({ id: 'WhatIfReport' }),
      )
      .describe(`Reports whose level changes, at most ${MAX_EXAMPLES}.`),
    examples_omitted: z.int().min(0),
  })
  .meta({ id: 'WhatIf' })

const proposedExample = {
  ...defaultPolicy,
  version: defaultPolicy.version + 1,
  levels: { ...defaultPolicy.levels, red: 80 },
}
const hash = (digit: string): string => digit.repeat(64)
const whatIfExample: z.infer<typeof whatIfSchema> = {
  current: { id: 'default', version: defaultPolicy.version, sha256: hash('0') },
  proposed: { id: 'default', version: defaultPolicy.version + 1, sha256: hash('1') },
  findings: [],
  settings: [{ path: 'levels.red', from: 70, to: 80 }],
  reports: 200,
  undecidable: 0,
  since: '2026-11-20T09:00:00.000Z',
  changed_levels: 1,
  changed_scores: 0,
  changed_recommendations: 0,
  levels: [
    { from: 'green', to: 'green', count: 199 },
    { from: 'red', to: 'orange', count: 1 },
  ],
  examples: [
    {
      report_id: '9f2c4a1be07d6358',
      address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
      chain: 'ETH',
      generated_at: '2026-11-21T09:00:00.000Z',
      from: { level: 'red', score: 72, level_reasons: [], decisive: 'scam by my_list' },
      to: { level: 'orange', score: 72, level_reasons: [], decisive: 'scam by my_list' },
      causes: ['levels.red'],
    },
  ],
  examples_omitted: 0,
}

export interface Proposal {
  readonly policy: CompiledPolicy
  readonly findings: readonly PolicyFinding[]
}

export function whatIf({ policyInForce, compare }: WhatIfParts): Endpoint {
  const slots = createSlots(MAX_RUNNING)
  /** Those whose call is worked on or waits: each has one, so that accounts take turns. */
  const accounts = new Set<string>()
  return keyedEndpoint<undefined, undefined, WhatIfBody, Proposal>({
    operationId: 'tryPolicy',
    method: 'POST',
    path: '/v1/policy/what-if',
    tag: 'Policy',
    summary: 'Try a policy over stored reports',
    description: `Decides the newest reports of the account again, from their recorded inputs, under the policy in force and under the proposed one, and compares the levels. Nothing is stored or changed. The inputs stay as recorded: the labels of that time, and the exposure found under the limits of that time. An instance works on ${MAX_RUNNING} such call at once. Accounts take turns: a further call of the same account, or of more than ${MAX_ACCOUNTS} accounts, is 503 with Retry-After. A policy that could not be put in force is 400, with the settings at fault.`,
    access: 'read-write',
    bodySchema: whatIfBody,
    bodyExample: { policy: proposedExample, max_reports: DEFAULT_REPORTS },
    answers: [
      {
        status: 200,
        description: 'The comparison.',
        contentType: 'application/json',
        schema: whatIfSchema,
        example: whatIfExample,
      },
    ],
    problems: ['unavailable'],
    judge: ({ body }) => judgePolicy(body.policy, 'policy'),
    async handle({ caller }, { body, judged }): Promise<Answer | Refusal> {
      const { accountId } = caller
      if (accounts.has(accountId) || accounts.size >= MAX_ACCOUNTS)
        return refuse('unavailable', 'Another comparison of policies is running on this instance.', {
          retryAfterSeconds: BUSY_RETRY_SECONDS,
        })
      accounts.add(accountId)
      try {
        return await slots(async () => {
          const inForce = await policyInForce(caller)
          if (inForce === null) return noPolicyYet()
          const maxReports = body.max_reports ?? DEFAULT_REPORTS
          const compared = await compare(caller, { a: inForce.policy, b: judged.policy, maxReports })
          return jsonAnswer(200, JSON.stringify(answerOf(compared, judged)))
        })
      } finally {
        accounts.delete(accountId)
      }
    },
  })
}

/** The same rules as for putting a policy in force. `member`: of the body that has the policy. */
export function judgePolicy(policy: PolicyDocument, member: string): { readonly judged: Proposal } | Refusal {
  const fault = policyFault(policy)
  if (fault !== null) {
    const [path = '', ...rest] = fault.split(': ')
    return refused([{ path, message: `The value is ${rest.join(': ')}.` }], member)
  }
  const findings = lintPolicy(policy)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return refused(errors, member)
  return { judged: { policy: compilePolicy(policy), findings } }
}

function refused(
  faults: readonly { readonly path: string; readonly message: string }[],
  member: string,
): Refusal {
  const errors = faults.map(({ path, message }) => ({
    pointer: [
      `/${member}`,
      ...path
        .split('.')
        .filter((name) => name !== '')
        .map(escapeStep),
    ].join('/'),
    detail: message,
  }))
  return refuse('invalid_request', 'The policy could not be put in force; see errors.', { errors })
}

/** Compares over the newest reports of the caller's account and environment. */
export function createComparison(source: {
  readonly database: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
}): WhatIfParts['compare'] {
  const sharedInputs = openSharedInputs(source)
  return async ({ accountId, livemode }, { a, b, maxReports }) => {
    const places = await listReportPlaces(source.database, { accountId, livemode, limit: maxReports })
    const diff = await comparePolicies({
      ...{ a, b, sharedInputs, maxFlips: MAX_EXAMPLES, explain: 'listed' },
      reports: (onMissing) => readReportsAt({ ...source, livemode, places, onMissing }),
    })
    return { diff, since: places.at(-1)?.endedAt ?? null }
  }
}

function answerOf({ diff, since }: WhatIf, { findings }: Proposal): z.infer<typeof whatIfSchema> {
  const shown = ({ level, score, levelReasons, decisive }: PolicyDiff['flips'][number]['from']) => ({
    ...{ level, score, decisive },
    level_reasons: [...levelReasons],
  })
  return {
    current: diff.a,
    proposed: diff.b,
    findings: findings.map(({ severity, rule, path, message }) => ({ severity, rule, path, message })),
    settings: diff.settings.map(({ path, from, to }) => ({ path, from, to })),
    reports: diff.reports,
    undecidable: diff.undecidable,
    since,
    changed_levels: diff.changedLevels,
    changed_scores: diff.changedScores,
    changed_recommendations: diff.changedRecommendations,
    levels: [
      ...diff.unchanged.map(({ level, count }) => ({ from: level, to: level, count })),
      ...diff.transitions,
    ],
    examples: diff.flips.map(({ reportId, address, chain, generatedAt, from, to, causes }) => ({
      ...{ report_id: reportId, address, chain, generated_at: generatedAt },
      ...{ from: shown(from), to: shown(to), causes: [...causes] },
    })),
    examples_omitted: diff.flipsOmitted,
  }
}
