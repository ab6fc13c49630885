/** A policy as a change that one person proposes and another one confirms. */
import { ChangeRefused, type ChangeKind } from '@cupel/gate/routes'
import type { PolicyDocument } from '@cupel/domain'
import { refuse } from '@cupel/gate/http'
import {
  appendActivation,
  changedSettings,
  checkPolicyText,
  judgeActivation,
  readActivations,
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
    const judged = await judgeActivation(transaction, { ...policyLog, policy, basedOn })
    if (judged.outcome === 'refused') throw refusedChange(judged.message)
    // A confirmation whose commit failed left the policy in force: its repeat is confirmed.
    if (judged.outcome === 'in-force' && origin === null)
      throw refusedChange('This policy is in force already.')
    if (judged.outcome === 'allowed' && origin !== null)
      await appendActivation({
        ...{ ...policyLog, policy, activatedBy: `key ${keyId}`, reason: `Proposal ${origin}.` },
        activatedAt: new Date().toISOString(),
      })
    return { newKey: null }
  },
  async effect({ content, basedOn }) {
    const { policy, findings } = checkPolicyText(JSON.stringify(content))
    const inForce = (await readActivations(policyLog.log, policyLog.codec)).at(-1)
    const settings =
      inForce === undefined
        ? []
        : changedSettings(
            JSON.parse(inForce.document) as PolicyDocument,
            content as unknown as PolicyDocument,
          )
    // It is in force itself if the commit of its confirmation failed, which can be repeated.
    const isInForce = policy !== null && policy.sha256 === inForce?.sha256
    return { is_outdated: !isInForce && (inForce?.sha256 ?? '') !== basedOn, settings, findings }
  },
})

const refusedChange = (message: string): ChangeRefused =>
  new ChangeRefused(refuse('change_conflict', message))

/** The SHA-256 of the policy in force; empty before the first activation. */
const inForceOf = async ({ log, codec }: PolicyLog): Promise<string> =>
  (await readActivations(log, codec)).at(-1)?.sha256 ?? ''
