/** The answers about proposals of policies, and a proposal in words. */
import type { PolicyDocument } from '@cupel/domain'
import { visibleText } from '@cupel/reports/document'
import { settingSections, titleOf, valueText } from './policy-settings.js'

export interface PolicyProposal {
  readonly proposal_id: string
  readonly status: string
  readonly policy: { readonly id: string; readonly version: number; readonly sha256: string }
  readonly document: PolicyDocument
  readonly reason: string
  readonly proposed_by: { readonly key_id: string; readonly person: string | null }
  readonly proposed_at: string
  readonly expires_at: string
  readonly needs_second_person: boolean
  readonly may_activate: boolean
  readonly settings: readonly PolicyChange[]
  readonly findings: readonly { readonly severity: string; readonly path: string; readonly message: string }[]
}

export interface PolicyChange {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

export interface PolicyActivation {
  readonly policy: { readonly id: string; readonly version: number; readonly sha256: string }
  readonly activated_at: string
  readonly activated_by: string
  readonly reason: string
}

export const API_PROPOSALS = '/v1/policy/proposals'
export const pathOfProposal = (id: string): string => `/policy/proposals/${encodeURIComponent(id)}`
export const apiPathOfProposal = (id: string, action = ''): string =>
  `${API_PROPOSALS}/${encodeURIComponent(id)}${action}`

const statuses: Readonly<Record<string, string>> = {
  open: 'waits to be put in force',
  in_force: 'is in force',
  past: 'was in force',
  replaced: 'was replaced by a later proposal',
  outdated: 'is outdated: another policy came into force since',
  expired: 'expired',
}
export const statusText = (status: string): string => statuses[status] ?? visibleText(status)

/** `levels.red`, 70, 80 → `Levels: red changes from 70 to 80.` */
export function changeText({ path, from, to }: PolicyChange): string {
  const [section = '', ...rest] = path.split('.')
  const name =
    rest.length === 0 ? titleOf(section) : `${titleOf(section)}: ${rest.join(' ').replaceAll('_', ' ')}`
  const [before, after] = [valueText(from), valueText(to)].map(visibleText)
  if (from === null) return `${visibleText(name)} is new: ${after}.`
  return to === null
    ? `${visibleText(name)} goes; it was ${before}.`
    : `${visibleText(name)} changes from ${before} to ${after}.`
}

/** What the setting means, by the published schema; empty where nobody says. */
export function meaningOf(document: PolicyDocument, path: string): string {
  return (
    settingSections(document)
      .flatMap(({ settings }) => settings)
      .find((setting) => setting.path === path)?.meaning ?? ''
  )
}
