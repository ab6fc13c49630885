/** Proposed changes as the API returns them, and in words. */
import { visibleText } from '@cupel/reports/document'
import { ApiProblem, fieldOf, Moment, redirect, type PageCall, type Redirect } from '@cupel/console'
import type { ComponentChildren } from 'preact'
import { scopeText } from '../keys/api-key.js'

interface Person {
  readonly key_id: string
  readonly person: string | null
}

export interface ProposedChange {
  readonly change_id: string
  readonly status: string
  readonly kind: string
  readonly account_id: string
  readonly livemode: boolean
  readonly change: Readonly<Record<string, unknown>> | null
  readonly reason: string
  readonly proposed_by: Person
  readonly proposed_at: string
  readonly expires_at: string
  readonly decided_by: Person | null
  readonly decided_at: string | null
  readonly needs_second_person: boolean
  readonly may_confirm: boolean
  readonly effect?: ChangeEffect | null
}

/** What an open change of the policy would do now. */
export interface ChangeEffect {
  readonly is_outdated: boolean
  readonly settings: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[]
  readonly findings: readonly { readonly path: string; readonly message: string }[]
}

/** Shows changes of one kind in its own way. */
export interface ChangePanel {
  readonly kind: string
  readonly show: (
    call: PageCall,
    change: ProposedChange & { readonly change: NonNullable<ProposedChange['change']> },
  ) => ComponentChildren
}

export const API_CHANGES = '/v1/proposed-changes'
export const apiPathOfChange = (id: string, action = ''): string =>
  `${API_CHANGES}/${encodeURIComponent(id)}${action}`
export const pathOfChange = (id: string, action = ''): string => `/changes/${encodeURIComponent(id)}${action}`

const kinds: Readonly<Record<string, string>> = {
  issue_key: 'A new key',
  change_key: 'Another right or name of a key',
  rotate_key: 'A successor of a key',
  confirm_import: 'The import of a list',
  activate_policy: 'Another policy',
}
/** What is changed; a later version may have other kinds. */
export function changeTitle({ kind, change }: Pick<ProposedChange, 'kind' | 'change'>): string {
  if (kind === 'activate_policy' && change !== null)
    return visibleText(`The policy ${String(change['id'])} ${String(change['version'])}`)
  return Object.hasOwn(kinds, kind) ? kinds[kind]! : visibleText(kind)
}

const statuses: Readonly<Record<string, string>> = {
  open: 'waits for a decision',
  confirmed: 'was confirmed',
  refused: 'was refused',
  expired: 'expired: nobody decided it',
}
export const changeStatusText = (status: string): string =>
  Object.hasOwn(statuses, status) ? statuses[status]! : visibleText(status)

export const personText = ({ person, key_id: keyId }: Person): string => visibleText(person ?? `key ${keyId}`)

type Words = readonly [label: string, text: (value: unknown) => ComponentChildren]
const plain = (value: unknown): string =>
  visibleText(typeof value === 'string' ? value : JSON.stringify(value))
const yesOrNo = (value: unknown): string => (value === true ? 'yes' : value === false ? 'no' : plain(value))

const fields: Readonly<Record<string, Words>> = {
  key_id: ['Key', (id) => <a href={`/keys/${encodeURIComponent(String(id))}`}>{plain(id)}</a>],
  import_id: ['Import', (id) => <a href={`/lists/imports/${encodeURIComponent(String(id))}`}>{plain(id)}</a>],
  account_id: ['Account', plain],
  livemode: ['Live', yesOrNo],
  scope: ['May', (scope) => scopeText(plain(scope))],
  plan: ['Plan', plain],
  name: ['Name', plain],
  allowed_ips: [
    'Usable from',
    (ranges) => (Array.isArray(ranges) && ranges.length > 0 ? ranges.map(plain).join(', ') : 'anywhere'),
  ],
  webhook_admin: ['May change webhook endpoints', yesOrNo],
  expires_at: [
    'Expires',
    (at) =>
      typeof at === 'string' ? <Moment at={at} otherwise="never" /> : at === null ? 'never' : plain(at),
  ],
  overlap_hours: ['Hours that the old key works', plain],
  accept_removals: ['Labels or designations that end', plain],
  accept_unreadable: ['Unreadable rows that were looked at', plain],
}

/** Each field of the change with its value; a field of a later version by its own name. */
export const linesOf = (change: NonNullable<ProposedChange['change']>) =>
  Object.entries(change).map(([name, value]) => {
    const [label, text] = Object.hasOwn(fields, name) ? fields[name]! : ([visibleText(name), plain] as Words)
    return { label, value: text(value) }
  })

/** Sends a change, or proposes it where two persons make it. `asked`: the body of the proposal, without its reason. */
export async function sendOrPropose<T>(
  { api, form }: Pick<PageCall, 'api' | 'form'>,
  send: () => Promise<T>,
  asked: Readonly<Record<string, unknown>>,
): Promise<T | Redirect> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'second_person_required') throw error
    const reason = fieldOf(form, 'reason').trim()
    const made = await api.send<ProposedChange>('POST', API_CHANGES, { ...asked, reason })
    return redirect(pathOfChange(made.change_id))
  }
}

export const isRedirect = (made: unknown): made is Redirect =>
  typeof made === 'object' && made !== null && 'kind' in made && made.kind === 'redirect'
