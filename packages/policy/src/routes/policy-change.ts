/** A policy as a change that one person proposes and another one confirms. */
import { ChangeRefused, type ChangeEffect, type ChangeKind, type ProposedOrder } from '@cupel/gate/routes'
import { decidedEventId } from '@cupel/contracts'
import type { PolicyDocument } from '@cupel/domain'
import { LogUnavailableError } from '@cupel/event-log'
import { refuse } from '@cupel/gate/http'
import {
  appendActivation,
  changedSettings,
  checkPolicyText,
  judgeActivation,
  readActivations,
  type ActivatedPolicy,
  type PolicyLog,
} from '../index.js'
import { policyDocumentComponent } from './get-policy.js'
import { judgePolicy } from './what-if.js'

const MEMBER = 'activate_policy'

export interface PolicyChangeParts extends PolicyLog {
  readonly needsSecondPerson: boolean
}

export const policyChange = ({ needsSecondPerson, ...policyLog }: PolicyChangeParts): ChangeKind => ({
  ...{ name: MEMBER, access: 'operator', needsSecondPerson, isLiveOnly: true },
  description:
    'For operators with a live key: a policy to put in force. Screenings of all accounts are decided by it within seconds; reports that exist stay as they are.',
  schema: policyDocumentComponent,
  async subject({ caller: { accountId, livemode } }, asked) {
    const done = judgePolicy(asked as unknown as PolicyDocument, MEMBER)
    if (!('judged' in done)) return done
    const content = JSON.parse(done.judged.policy.canonical) as Record<string, unknown>
    return { ofAccountId: accountId, livemode, basedOn: await inForceOf(policyLog), content }
  },
  async make(transaction, { caller: { keyId } }, { content, basedOn, origin }) {
    // The rules may have become stricter since, with another release.
    const { policy: checked } = checkPolicyText(JSON.stringify(content))
    if (checked === null) throw refusedChange('The policy is not valid any more; propose another one.')
    const { document, canonical, sha256 } = checked
    const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
    const eventId = origin === null ? null : activationId(origin)
    const judged = await judgeActivation(transaction, { ...policyLog, policy, basedOn, eventId })
    if (judged.outcome === 'refused') throw refusedChange(judged.message)
    if (judged.outcome === 'in-force') throw refusedChange('This policy is in force already.')
    if (judged.outcome === 'allowed' && eventId !== null)
      await appendActivation(
        {
          ...{ ...policyLog, policy, activatedBy: BY_KEY + keyId, reason: `Proposal ${origin}.` },
          activatedAt: new Date().toISOString(),
        },
        eventId,
      )
    return { newKey: null }
  },
  async made() {
    const history = await readActivations(policyLog.log, policyLog.codec)
    return (origin) => {
      const found = history.find(({ eventId }) => eventId === activationId(origin))
      return found === undefined
        ? null
        : { decidedBy: found.activatedBy.slice(BY_KEY.length), decidedAt: found.activatedAt }
    }
  },
  async effects() {
    const history = await readActivations(policyLog.log, policyLog.codec).catch((error: unknown) => {
      if (error instanceof LogUnavailableError) return null
      throw error
    })
    return (order) => (history === null ? unknownEffect : effectOf(order, history))
  },
})

const BY_KEY = 'key '

/** One proposal puts its policy in force once: the activation is in the log before its decision is in the database. */
const activationId = (origin: string): string => decidedEventId('policy.proposal', origin)

function effectOf(
  { content, basedOn, origin }: ProposedOrder,
  history: readonly ActivatedPolicy[],
): ChangeEffect {
  const inForce = history.at(-1)
  const { findings } = checkPolicyText(JSON.stringify(content))
  const settings =
    inForce === undefined
      ? []
      : changedSettings(JSON.parse(inForce.document) as PolicyDocument, content as unknown as PolicyDocument)
  // The commit of its confirmation failed, which can be repeated.
  const isMade = history.some(({ eventId }) => eventId === activationId(origin))
  return { is_outdated: !isMade && (inForce?.sha256 ?? '') !== basedOn, settings, findings }
}

/** An error, so that nobody confirms what nobody sees. */
const unknownEffect: ChangeEffect = {
  is_outdated: false,
  settings: [],
  findings: [
    {
      severity: 'error',
      rule: 'policy-in-force-unknown',
      path: '',
      message: 'The log cannot be read now, so it is unknown which policy is in force: try again later.',
    },
  ],
}

const refusedChange = (message: string): ChangeRefused =>
  new ChangeRefused(refuse('change_conflict', message))

/** The SHA-256 of the policy in force; empty before the first activation. */
const inForceOf = async ({ log, codec }: PolicyLog): Promise<string> =>
  (await readActivations(log, codec)).at(-1)?.sha256 ?? ''
