/** Cases as the API shows them, and what their routes have in common. */
import { keyHolder } from '@cupel/access'
import { keyIdOf } from '@cupel/personal-data'
import {
  MAX_ENTRIES,
  MAX_NOTES,
  MAX_TEXT_LENGTH,
  mayConfirm,
  type Actor,
  type CaseRefusal,
  type Owner,
  type ReportFacts,
  type StoredCase,
  type StoredEntry,
} from '@cupel/cases'
import type { CaseEntry, CasePerson, CaseSummary, Report, ReportCase } from '@cupel/contracts'
import { needsSecondPerson, type DispositionOrder } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import { apiCallOf } from '../../audit/api-call.js'
import type { KeyedCall } from '../../http/endpoint.js'
import type { PageTokens } from '../../http/page-token.js'
import { refuse, type Refusal } from '../../http/problem.js'
import { text } from '../../http/text.js'
import type { ReportReader } from '../../screening/report-reader.js'

export interface CaseParts {
  readonly database: Database
  readonly reports: ReportReader
  readonly tokens: PageTokens
  /** Levels of reports that two persons clear. */
  /** Whether a sign-in service is configured. */
  readonly doPeopleSignIn: boolean
  readonly secondPersonLevels: readonly string[]
}

export const CASES_TAG = 'Cases'

/** Something to read: not empty, and not blanks alone. */
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
  const holder = await keyHolder(database, keyId)
  return {
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
      return refuse('case_conflict', `A case has at most ${MAX_NOTES} notes and ${MAX_ENTRIES} entries.`)
    case 'same_person':
      return refuse(
        'case_conflict',
        'Another person than the one who proposed it must confirm that it is cleared.',
      )
    case 'already_so':
      return refuse('case_conflict', 'The report has this disposition already.')
  }
}

export function summaryDocument(stored: StoredCase, levels: readonly string[]): CaseSummary {
  const { proposal } = stored
  return {
    report_id: stored.reportId,
    address: stored.address,
    chain: stored.chain,
    level: stored.level,
    score: stored.score,
    disposition: stored.disposition,
    version: stored.version,
    needs_second_person: needsSecondPerson(levels, stored.level),
    proposal:
      proposal === null
        ? null
        : {
            disposition: proposal.disposition!,
            reason: proposal.text,
            by: personDocument(proposal),
            at: proposal.madeAt,
            version: proposal.version,
          },
    opened_at: stored.openedAt,
    changed_at: stored.changedAt,
  }
}

/** How many persons decide about a report of this level, and who counts as one. */
export function personRules(
  { secondPersonLevels, doPeopleSignIn }: Pick<CaseParts, 'secondPersonLevels' | 'doPeopleSignIn'>,
  level: string,
): Pick<DispositionOrder, 'needsSecondPerson' | 'doPeopleSignIn'> {
  return { needsSecondPerson: needsSecondPerson(secondPersonLevels, level), doPeopleSignIn }
}

/** The document as the author of this call sees it, with whether that person may confirm a proposal. */
export async function caseForCaller(
  parts: Pick<CaseParts, 'database' | 'secondPersonLevels' | 'doPeopleSignIn'>,
  { caller: { keyId, session }, plainPerson: plain }: Pick<KeyedCall, 'caller' | 'plainPerson'>,
  facts: ReportFacts,
  stored: Parameters<typeof caseDocument>[1],
): Promise<ReportCase> {
  const document = caseDocument(facts, stored, parts.secondPersonLevels)
  const proposal = stored?.summary.proposal ?? null
  if (proposal === null || document.proposal === null) return document
  const holder = await keyHolder(parts.database, keyId)
  const author = { person: session?.actor ?? '', subject: session?.subject ?? '', plain }
  const reader = { holder, ...author, cannotCompare: sealedElsewhere(session) }
  const mayDo = mayConfirm(proposal, reader, parts.doPeopleSignIn)
  return { ...document, proposal: { ...document.proposal, may_confirm: mayDo } }
}

/** `stored`: null if no person has worked on the report. */
export function caseDocument(
  facts: ReportFacts,
  stored: { readonly summary: StoredCase; readonly history: readonly StoredEntry[] } | null,
  levels: readonly string[],
): ReportCase {
  if (stored !== null)
    return { ...summaryDocument(stored.summary, levels), history: stored.history.map(entryDocument) }
  return {
    report_id: facts.reportId,
    ...{ address: facts.address, chain: facts.chain, level: facts.level, score: facts.score },
    ...{ disposition: null, version: 0, needs_second_person: needsSecondPerson(levels, facts.level) },
    ...{ proposal: null, opened_at: null, changed_at: null, history: [] },
  }
}

export function entryDocument(entry: StoredEntry): CaseEntry {
  return {
    version: entry.version,
    kind: entry.kind,
    at: entry.madeAt,
    by: personDocument(entry),
    text: entry.text,
    disposition: entry.disposition,
    previous_disposition: entry.previousDisposition,
    proposal_version: entry.proposalVersion,
  }
}

const personDocument = ({ keyId, actor }: StoredEntry): CasePerson => ({
  key_id: keyId,
  person: actor === '' ? null : actor,
})

export const tagOfVersion = (version: number): string => `"${version}"`

const by = { key_id: '8f2k1m0a', person: null }
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
