/** Who can be assigned to a case: the keys of the account that may change cases, and the persons who work with them. */
import { presentKeys, signedInPeople, type PresentKey } from '@cupel/gate/access'
import { listPeople, type Owner } from '../index.js'
import type { Assignment } from '@cupel/contracts'
import { type KeyedCall, refuse, type Refusal } from '@cupel/gate/http'
import type { CaseParts } from './case-description.js'

export type Assignee = NonNullable<Assignment['assignee']>

/** Persons of the past that a list shows. */
const MAX_PEOPLE = 200

/** The keys of one holder are one assignee: the newest. Names are sealed. */
export async function listAssignees(
  { database }: Pick<CaseParts, 'database'>,
  { caller, seal }: Pick<KeyedCall, 'caller' | 'seal'>,
): Promise<readonly Assignee[]> {
  const owner: Owner = { accountId: caller.accountId, livemode: caller.livemode }
  const [all, signedIn, seen] = await Promise.all([
    presentKeys(database, owner),
    signedInPeople(database, owner),
    listPeople(database, owner, MAX_PEOPLE),
  ])
  const keys = new Map<string, PresentKey>()
  for (const key of all.filter(({ scope }) => scope !== 'read-only'))
    if (!keys.has(key.holder)) keys.set(key.holder, key)
  const holders = new Map(all.map(({ keyId, holder }) => [keyId, holder]))
  const people = new Map<string, Assignee>()
  for (const { keyId, actor, subject } of [...signedIn, ...seen]) {
    const [holder, sealed] = [holders.get(keyId), seal.sealOnce(subject)]
    if (holder !== undefined && keys.has(holder) && !people.has(sealed))
      people.set(sealed, { keyId, holder, name: seal.sealOnce(actor), subject: sealed })
  }
  const ofKeys = [...keys.values()].map(({ keyId, holder, name }) => ({
    ...{ keyId, holder, name: seal.sealOnce(name), subject: '' },
  }))
  return [...people.values(), ...ofKeys]
}

/** The assignee that a caller names by key and person. Unknown and ambiguous names are refused. */
export async function namedAssignee(
  parts: Pick<CaseParts, 'database'>,
  call: Pick<KeyedCall, 'caller' | 'seal'>,
  { key_id: keyId, person }: { readonly key_id: string; readonly person: string | null },
): Promise<Assignee | Refusal> {
  const known = await listAssignees(parts, call)
  const sealed = person === null ? null : call.seal.seal(person)
  const found = known.filter((one) =>
    sealed === null
      ? one.subject === '' && one.keyId === keyId
      : one.subject !== '' && one.keyId === keyId && one.name === sealed,
  )
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const detail =
    found.length === 0
      ? 'Nobody with a working key of this account that may change cases is named so. GET /v1/cases/assignees lists them.'
      : 'Several persons are named so: assign the key.'
  return refuse('invalid_request', detail, { errors: [{ pointer: '/assignee', detail }] })
}
