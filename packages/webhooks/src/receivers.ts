/** Where the messages of an endpoint go: a URL whose host was judged, or a sealed address of e-mail. */
import type { PayloadKind } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { EndpointRefusal, EndpointStore, Owner } from './endpoint-store.js'
import { readMailto } from './mail-address.js'
import { MAILTO, recipientOf } from './mailto.js'

export interface Receiver {
  readonly ok: true
  readonly url: string
  readonly payload: PayloadKind
}

const refused = (reason: string): EndpointRefusal => ({ ok: false, code: 'invalid_url', reason })

/** `payload`: undefined for the usual one. */
export async function judgeReceiver(
  { judge, sealRecipient }: Pick<EndpointStore, 'judge' | 'sealRecipient'>,
  { accountId, url, payload }: Pick<Owner, 'accountId'> & { url: string; payload?: PayloadKind | undefined },
): Promise<Receiver | EndpointRefusal> {
  if (!url.toLowerCase().startsWith(MAILTO)) {
    if (payload === 'email') return refused('The payload email is for addresses of e-mail, mailto:.')
    const judged = await judge(url)
    return judged.ok
      ? { ok: true, url: judged.target.url.href, payload: payload ?? 'full' }
      : refused(judged.reason)
  }
  if (payload !== undefined && payload !== 'email')
    return refused('An address of e-mail takes the payload email.')
  const address = readMailto(url)
  if (address === null) return refused('The address of e-mail is not one of the form name@host.example.')
  if (sealRecipient === null)
    return refused('This installation sends no e-mail: its operator set no mail server.')
  return { ok: true, url: MAILTO + (await sealRecipient(accountId, address)), payload: 'email' }
}

/** Whether the receiver has another payload than its kind, or the URL of the other kind. Null if the change is possible. */
export function changeFault(
  present: string,
  change: { readonly url?: string | undefined; readonly payload?: PayloadKind | undefined },
): EndpointRefusal | null {
  const isMail = recipientOf(present) !== null
  if (change.url !== undefined && change.url.toLowerCase().startsWith(MAILTO) !== isMail)
    return refused('An endpoint stays what it is, a URL or an address of e-mail: create another one.')
  if (change.payload !== undefined && (change.payload === 'email') !== isMail)
    return refused('The payload email is that of addresses of e-mail, and they have no other.')
  return null
}

/** Null, or the refusal of an address that gets the messages of the account already. Two of them would be told everything twice. */
export async function takenRecipient(
  transaction: Queryable,
  { accountId, livemode }: Owner,
  { url, endpointId }: { readonly url: string; readonly endpointId: string },
): Promise<EndpointRefusal | null> {
  if (recipientOf(url) === null) return null
  const rows = await transaction.query(
    `SELECT 1 FROM webhooks.endpoint
     WHERE account_id = $1 AND livemode = $2 AND url = $3 AND payload = 'email' AND endpoint_id <> $4`,
    [accountId, livemode, url, endpointId],
  )
  return rows.length > 0 ? refused('This address of e-mail is a recipient already.') : null
}
