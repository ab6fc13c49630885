/** Cases as the API shows them, and what their routes have in common. */
import { findKey, keyHolder, presentKeys } from '@cupel/gate/access'
import { keyIdOf, type PersonalData } from '@cupel/personal-data'
import {
  MAX_ACCOUNT_FILE_BYTES,
  MAX_ACCOUNT_FILES,
  MAX_ENTRIES,
  MAX_FILES,
  MAX_NOTES,
  MAX_TEXT_LENGTH,
  mayConfirm,
  type Actor,
  type CaseRefusal,
  type Owner,
  type StoredCase,
} from '../index.js'
import type { CaseSummary, Report, ReportCase } from '@cupel/contracts'
import { needsSecondPerson, type DispositionOrder } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import type { ReportFacts } from '@cupel/projections'
import { z } from 'zod'
import { apiCallOf } from '@cupel/gate/audit'
import { type KeyedCall, type PageTokens, refuse, type Refusal, text } from '@cupel/gate/http'
import type { ReportReader } from '@cupel/reports/routes'
import { assigneeDocument, caseDocument } from './case-document.js'

export interface CaseParts {
  readonly database: Database
  readonly personalData: PersonalData
  readonly now: () => Date
  readonly reports: ReportReader
  readonly tokens: PageTokens
  /** Whether a sign-in service is configured. */
  readonly doPeopleSignIn: boolean
  /** Levels of reports that two persons clear. */
  readonly secondPersonLevels: readonly string[]
}

export const CASES_TAG = 'Cases'

/** Something to read: not empty, and not only blanks. */
export const caseText = text(MAX_TEXT_LENGTH, 0)
  .regex(/[^\t\n\r ]/, { error: 'Nothing but blanks is given' })
  .meta({ maxLength: MAX_TEXT_LENGTH, pattern: '^[^\\u0000]*[^\\u0000\\t\\n\\r ][^\\u0000]*$' })

export const versionField = z
  .int()
  .min(0)
  .max(MAX_ENTRIES)
  .describe('The `version` of the case that the caller has read. Another one now is 412 `version_mismatch`.')

export const caseHeaders = {
  ETag: { description: 'Names the version of the case: `"3"`.', schema: z.string() },
}

/** The facts of a report that its case repeats. */
export function factsOf(document: string): ReportFacts {
  const { report_id, address, chain, risk } = JSON.parse(document) as Report
  return { reportId: report_id, address, chain, level: risk.level, score: risk.score }
}

export async function caseAuthorOf(
  { database }: CaseParts,
  call: KeyedCall,
  status: number,
): Promise<Owner & Actor> {
  const { accountId, livemode, keyId } = call.caller
  const [holder, key] = await Promise.all([keyHolder(database, keyId), findKey(database, keyId)])
  return {
    keyName: call.seal.sealOnce(key?.name ?? ''),
    accountId,
    livemode,
    keyId,
    holder,
    person: call.caller.session?.actor ?? '',
    subject: call.caller.session?.subject ?? '',
    plain: call.plainPerson,
    cannotCompare: sealedElsewhere(call.caller.session),
    call: apiCallOf(call, status),
  }
}

/** Whether a text is sealed under another key than the present one of the account, which sealed the name of the person of the call. */
function sealedElsewhere(session: KeyedCall['caller']['session']): (text: string) => boolean {
  const own = keyIdOf(session?.actor ?? '')
  return (text) => own !== null && keyIdOf(text) !== null && keyIdOf(text) !== own
}

/**
 * The version that the caller read: from the body, from If-Match, or null. Returns a refusal where If-Match names no version of a case,
 * or another version than the body.
 */
export function expectedVersionOf(
  ifMatch: string | undefined,
  version: number | undefined,
): { readonly version: number | null } | Refusal {
  if (ifMatch === undefined || ifMatch.trim() === '*') return { version: version ?? null }
  const [, named] = /^\s*"([0-9]{1,6})"\s*$/.exec(ifMatch) ?? []
  if (named === undefined) return refuse('version_mismatch', 'If-Match does not name a version of a case.')
  if (version !== undefined && version !== Number(named))
    return refuse('version_mismatch', 'If-Match and `version` name different versions.')
  return { version: Number(named) }
}

export function caseRefusal(refusal: CaseRefusal): Refusal {
  switch (refusal.code) {
    case 'version_mismatch':
      return refuse('version_mismatch', `The case is at version ${refusal.version} now; read it again.`)
    case 'case_full':
      return refuse(
        'case_conflict',
        `A case has at most ${MAX_NOTES} notes, assignments and files, and ${MAX_ENTRIES} entries.`,
      )
    case 'too_many_files':
      return refuse('case_conflict', `A case has at most ${MAX_FILES} files.`)
    case 'account_full':
      return refuse(
        'case_conflict',
        `The files of an account have at most ${MAX_ACCOUNT_FILE_BYTES} bytes, and there are at most ${MAX_ACCOUNT_FILES}.`,
      )
    case 'same_person':
      return refuse(
        'case_conflict',
        'Another person than the one who proposed it must confirm that it is cleared.',
      )
    case 'already_so':
      return refuse('case_conflict', 'The report has this disposition already.')
    case 'already_assigned':
      return refuse('case_conflict', 'The case is assigned so already.')
  }
}

/** How many persons decide about a report of this level, and who counts as one. */
export function personRules(
  { secondPersonLevels, doPeopleSignIn }: Pick<CaseParts, 'secondPersonLevels' | 'doPeopleSignIn'>,
  level: string,
): Pick<DispositionOrder, 'needsSecondPerson' | 'doPeopleSignIn'> {
  return { needsSecondPerson: needsSecondPerson(secondPersonLevels, level), doPeopleSignIn }
}

/** The document as the author of this call sees it, as of now: with whether that person may confirm a proposal. */
export async function caseForCaller(
  parts: Pick<CaseParts, 'database' | 'secondPersonLevels' | 'doPeopleSignIn' | 'now'>,
  { caller, plainPerson: plain }: Pick<KeyedCall, 'caller' | 'plainPerson'>,
  facts: ReportFacts,
  stored: Parameters<typeof caseDocument>[1],
): Promise<ReportCase> {
  const document = caseDocument(facts, stored, parts.secondPersonLevels)
  if (stored === null) return document
  const { keyId, session } = caller
  const shown = { ...document, ...(await standingOf(parts, caller, [stored.summary]))(stored.summary) }
  const { proposal } = stored.summary
  if (proposal === null || shown.proposal === null) return shown
  const holder = await keyHolder(parts.database, keyId)
  const author = { person: session?.actor ?? '', subject: session?.subject ?? '', plain }
  const reader = { holder, ...author, cannotCompare: sealedElsewhere(session) }
  const mayDo = mayConfirm(proposal, reader, parts.doPeopleSignIn)
  return { ...shown, proposal: { ...shown.proposal, may_confirm: mayDo } }
}

/** What of a case depends on the moment: whether it is overdue, and whether its assignee has left. Documents do not have it. */
export async function standingOf(
  { database, now }: Pick<CaseParts, 'database' | 'now'>,
  owner: Owner,
  cases: readonly StoredCase[],
): Promise<(stored: StoredCase) => Pick<CaseSummary, 'assignee' | 'is_overdue'>> {
  const isAnyAssigned = cases.some(({ assignment }) => assignment.assignee !== null)
  const keys = isAnyAssigned ? await presentKeys(database, owner) : []
  const present = new Set(keys.map(({ holder }) => holder))
  const today = todayOf(now)
  return ({ assignment: { assignee, dueOn }, disposition }) => ({
    assignee:
      assignee === null ? null : { ...assigneeDocument(assignee), has_left: !present.has(assignee.holder) },
    is_overdue: dueOn !== null && dueOn < today && disposition !== 'cleared',
  })
}

/** The present day of UTC: `2026-12-31`. */
export const todayOf = (now: () => Date): string => now().toISOString().slice(0, 10)

export const tagOfVersion = (version: number): string => `"${version}"`

const by = { key_id: '8f2k1m0a', person: null, key_name: 'Ann' }
export const summaryExample: CaseSummary = {
  report_id: '9f2c4a1be07d6358',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  level: 'red',
  score: 100,
  disposition: 'escalated',
  version: 1,
  needs_second_person: true,
  proposal: null,
  assignee: { key_id: '8f2k1m0a', person: null, key_name: 'Ann', has_left: false },
  due_on: '2026-12-01',
  is_overdue: false,
  opened_at: '2026-11-21T09:00:00.012Z',
  changed_at: '2026-11-21T09:00:00.012Z',
}
export const caseExample: ReportCase = {
  ...summaryExample,
  history: [
    {
      version: 1,
      kind: 'disposition_changed',
      at: '2026-11-21T09:00:00.012Z',
      by,
      text: 'The customer says that the address is theirs.',
      disposition: 'escalated',
      previous_disposition: null,
      proposal_version: null,
    },
  ],
}
