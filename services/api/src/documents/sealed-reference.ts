/** The customer reference of a stored report, for its proof: the hashed report has the sealed one, the report of the caller the plain one. */
import type { Report } from '@cupel/contracts'
import { keyIdOf, type PersonalData } from '@cupel/personal-data'
import type { SealedReference } from '@cupel/transparency'

/** The customer reference as it is stored. Null where the report has none. */
export function referenceOf(document: string): string | null {
  return (JSON.parse(document) as Report).customer_reference
}

/** Null where the report has no sealed reference. */
export async function sealedReferenceOf(
  personalData: PersonalData,
  document: string,
): Promise<SealedReference | null> {
  const sealed = referenceOf(document)
  if (sealed === null || keyIdOf(sealed) === null) return null
  return { sealed, salt: (await personalData.openingOf(sealed))?.salt ?? null }
}
