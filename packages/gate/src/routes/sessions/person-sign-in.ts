/** A person with an ID token becomes a session of the key that one of the person's groups is mapped to. */
import {
  beginSession,
  endSession,
  signInKeys,
  spendIdToken,
  type AdmissionGate,
  type Caller,
  type IssuedSession,
  type SignInKey,
} from '../../access/index.js'
import {
  actorOf,
  createIdTokenVerifier,
  createProvider,
  IdTokenRefused,
  keysOfGroups,
  ProviderDown,
  type IdTokenFault,
  type OidcSettings,
} from '@cupel/kit/oidc'
import type { Logger } from '@cupel/contracts'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { type PersonRefusal, type PersonResult, refuse, type Refusal } from '../../http/index.js'
import { refusalOf } from '../../calls/index.js'

export interface SignInOrder {
  readonly idToken: string
  /** The nonce of the token is its digest. */
  readonly nonceSecret: string
  /** The key that the person chose; null for the only one. */
  readonly keyId: string | null
  readonly clientAddress: string
}

export type SignInResult =
  | { readonly kind: 'session'; readonly session: IssuedSession; readonly caller: Caller }
  | { readonly kind: 'choice'; readonly actor: string; readonly choices: readonly SignInKey[] }
  | { readonly kind: 'refused'; readonly refused: PersonResult }

/** Rejects only where the store is down or the code is at fault. */
export type PersonSignIn = (order: SignInOrder) => Promise<SignInResult>

interface PersonSignInParts {
  readonly database: Database
  readonly gate: Pick<AdmissionGate, 'admit'>
  readonly logger: Logger
  readonly personalData: PersonalData
}

/** Null where no sign-in service is configured. */
export function createPersonSignIn(
  parts: PersonSignInParts,
  settings: OidcSettings | null,
): PersonSignIn | null {
  if (settings === null) return null
  const verifier = createIdTokenVerifier(settings, createProvider(settings))
  const { database, logger } = parts
  return async (order) => {
    const verified = await verifier
      .verify(order.idToken, order.nonceSecret)
      .catch((error: unknown) => faultOf(error, logger))
    if ('kind' in verified) return verified
    if (!(await spendIdToken(database, verified))) return refusedToken('replayed')
    const actor = actorOf(verified.person)
    const choices = await signInKeys(database, keysOfGroups(verified.person.groups, settings.groups))
    if (choices.length === 0) return refusedBecause('person_not_mapped', NOT_MAPPED, actor)
    const chosen = order.keyId === null ? choices : choices.filter(({ keyId }) => keyId === order.keyId)
    if (chosen.length === 0) return refusedBecause('key_not_chosen', NOT_OWN_CHOICE, actor)
    const [key] = chosen
    if (chosen.length > 1 || key === undefined)
      return {
        kind: 'choice',
        actor,
        choices: await Promise.all(choices.map((choice) => opened(parts, choice))),
      }
    return await begin(
      parts,
      { accountId: key.accountId, keyId: key.keyId, actor, subject: verified.person.subject },
      order.clientAddress,
    )
  }
}

async function opened({ personalData }: PersonSignInParts, choice: SignInKey): Promise<SignInKey> {
  const open = (text: string): Promise<string> => personalData.openText(text, choice.accountId)
  return { ...choice, keyName: await open(choice.keyName), accountName: await open(choice.accountName) }
}

const NOT_MAPPED =
  'You are signed in with the sign-in service, and none of your groups may use this console. Ask the operator of this installation.'
const NOT_OWN_CHOICE = 'None of your groups may use that key any more. Sign in again and choose another one.'

/** Judges the session like its first call, so that a key that may not be used from here begins no session. */
async function begin(
  { database, gate, personalData }: PersonSignInParts,
  order: {
    readonly accountId: string
    readonly keyId: string
    readonly actor: string
    readonly subject: string
  },
  clientAddress: string,
): Promise<SignInResult> {
  const seal = await personalData.of(order.accountId)
  const session = await beginSession(database, {
    keyId: order.keyId,
    actor: seal.seal(order.actor),
    subject: seal.seal(order.subject),
  })
  const authorization = `Bearer ${session.token}`
  const admission = await gate.admit({ authorization, clientAddress, requiredScope: 'read-only' })
  if (admission.admitted) return { kind: 'session', session, caller: admission.caller }
  await endSession(database, session.sessionId)
  const { caller, reason } = admission
  return {
    kind: 'refused',
    refused: { result: refusalOf(admission), caller, actor: order.actor, refusedBecause: reason },
  }
}

function refusedBecause(
  reason: PersonRefusal,
  detail: string,
  actor = '',
): SignInResult & { kind: 'refused' } {
  return refusedWith(refuse('sign_in_refused', detail), reason, actor)
}

/** The answer to every person where no sign-in service is configured. */
export const NO_SIGN_IN_SERVICE: PersonResult = {
  result: refuse('sign_in_refused', 'No sign-in service is configured here.'),
  ...{ caller: null, actor: '', refusedBecause: 'sign_in_unavailable' },
}

function refusedWith(result: Refusal, reason: PersonRefusal, actor = ''): SignInResult & { kind: 'refused' } {
  return { kind: 'refused', refused: { result, caller: null, actor, refusedBecause: reason } }
}

function faultOf(error: unknown, logger: Logger): SignInResult & { kind: 'refused' } {
  if (error instanceof IdTokenRefused) {
    logger.warn({ fault: error.fault }, 'An ID token was refused')
    return refusedToken(error.fault)
  }
  if (!(error instanceof ProviderDown)) throw error
  logger.warn({ err: error }, 'The keys of the sign-in service cannot be fetched')
  return refusedWith(
    refuse('unavailable', 'The sign-in service does not answer right now.'),
    'sign_in_unavailable',
  )
}

const refusedToken = (fault: IdTokenFault | 'replayed') =>
  refusedBecause('id_token_refused', sentences[fault])

const sentences: Readonly<Record<IdTokenFault | 'replayed', string>> = {
  malformed: 'The ID token is malformed.',
  signature: 'The ID token is not signed by the sign-in service.',
  issuer: 'The ID token comes from another sign-in service than the configured one.',
  audience: 'The ID token was made for another application.',
  nonce: 'The ID token belongs to another sign-in than this one.',
  time: 'The ID token is expired or not valid yet. Where this happens again, the clocks of the sign-in service and of this service differ.',
  subject: 'The ID token names no person.',
  replayed: 'The ID token was used before. Sign in again.',
}
