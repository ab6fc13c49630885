/** Personal data of a call: sealed before a handler sees it, and opened in the answer for the account that it belongs to. */
import type { Caller } from '../access/index.js'
import type { AccountSeal, PersonalData } from '@cupel/personal-data'
import { type Answer, isRefusal, type Refusal } from '../http/index.js'

/** The caller and the client address as they are recorded. */
export interface SealedOrigin {
  readonly caller: Caller
  readonly clientAddress: string
  readonly seal: AccountSeal
  /** The person of the session in the form of records from before personal data was sealed; empty without a session. Never stored. */
  readonly plainPerson: { readonly person: string; readonly subject: string }
}

const NOBODY = { person: '', subject: '' }

/** Rejects if the keys of the account cannot be read: nothing is recorded in plain then. */
export async function sealedOrigin(
  personalData: PersonalData,
  caller: Caller,
  clientAddress: string,
): Promise<SealedOrigin> {
  const seal = await personalData.of(caller.accountId)
  const { session } = caller
  const open = (text = ''): Promise<string> => personalData.openText(text, caller.accountId)
  return {
    seal,
    plainPerson:
      session === null ? NOBODY : { person: await open(session.actor), subject: await open(session.subject) },
    clientAddress: seal.sealClientAddress(clientAddress),
    caller:
      session === null
        ? caller
        : {
            ...caller,
            session: {
              ...session,
              actor: seal.sealOnce(session.actor),
              subject: seal.sealOnce(session.subject),
            },
          },
  }
}

/** The answer with the personal data of this account opened. Without an account nothing is opened. */
export async function openedAnswer(
  personalData: PersonalData,
  result: Answer | Refusal,
  accountId: string | undefined,
): Promise<Answer | Refusal> {
  if (!personalData.isSealing || accountId === undefined || isRefusal(result)) return result
  const { body, contentType = '' } = result
  if (typeof body !== 'string') return result
  const isJson = /[/+]json\b/.test(contentType)
  const opened = await (isJson
    ? personalData.openJson(body, accountId)
    : personalData.openText(body, accountId))
  return opened === body ? result : { ...result, body: opened }
}
