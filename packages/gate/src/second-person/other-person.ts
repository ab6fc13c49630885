/** Who made a proposal, and who is another person than its author. */
import { isSamePerson, type CasePersonId } from '@cupel/domain'
import { ERASED, keyIdOf, type PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { keyHolder } from '../access/index.js'
import type { KeyedCall } from '../http/index.js'

export interface SecondPersonParts {
  readonly database: Database
  readonly personalData: PersonalData
  /** Whether another person than its author must confirm a proposal. */
  readonly needsSecondPerson: boolean
  /** Whether people sign in: then a key without a person is nobody's proof of another person. */
  readonly doPeopleSignIn: boolean
}

/** The author of a proposal as its event states it, the texts sealed. */
export interface ProposalAuthor {
  /** The account whose key sealed the texts. */
  readonly accountId: string
  readonly proposedBy: string
  readonly holder: string
  readonly actor: string
  readonly subject: string
}

/** Everything of a call that tells its person, in plain. */
export async function personOfCall(
  { database }: Pick<SecondPersonParts, 'database'>,
  { caller, plainPerson }: Pick<KeyedCall, 'caller' | 'plainPerson'>,
): Promise<CasePersonId> {
  const holder = await keyHolder(database, caller.keyId)
  return { holder, subject: plainPerson.subject, name: plainPerson.person }
}

/** Whether this person may confirm a proposal of the author, as far as that depends on persons. `person`: null for a caller who may confirm nothing. */
export async function isOtherPerson(
  parts: SecondPersonParts,
  author: ProposalAuthor,
  person: CasePersonId | null,
): Promise<boolean> {
  if (person === null) return false
  if (!parts.needsSecondPerson) return true
  const proposer = await proposerOf(parts, author)
  return proposer !== null && !isSamePerson(proposer, person, parts.doPeopleSignIn)
}

/** Null if a text of the proposer cannot be read any more: then nobody is certain to be another person. */
async function proposerOf(
  { personalData }: Pick<SecondPersonParts, 'personalData'>,
  { holder, subject, actor }: ProposalAuthor,
): Promise<CasePersonId | null> {
  const [plainSubject, name] = await Promise.all([subject, actor].map((text) => plainOf(personalData, text)))
  return plainSubject === null || name === null ? null : { holder, subject: plainSubject!, name: name! }
}

/** The plain text of a stored one; null if nobody can read it any more, or if it was written after an erasure. */
export async function plainOf(personalData: PersonalData, text: string): Promise<string | null> {
  if (text === ERASED) return null
  return keyIdOf(text) === null ? text : ((await personalData.openingOf(text))?.text ?? null)
}

/** Fields of the author that an event states. */
export async function authorOfProposal(
  { database }: Pick<SecondPersonParts, 'database'>,
  { caller }: Pick<KeyedCall, 'caller'>,
): Promise<ProposalAuthor> {
  const { accountId, keyId, session } = caller
  const person = { actor: session?.actor ?? '', subject: session?.subject ?? '' }
  return { accountId, proposedBy: keyId, holder: await keyHolder(database, keyId), ...person }
}
