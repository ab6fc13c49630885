/** The customer reference of a stored report, for its proof: the hashed report has the sealed one, the report of the caller the plain one. */
import type { Report } from '@cupel/contracts'
import { keyIdOf, type PersonalData } from '@cupel/personal-data'
import type { Queryable } from '@cupel/postgres'
import { readProof, type SealedReference } from '@cupel/transparency'
import type { ReadProof } from '../routes/reports/get-report-proof.js'

/** The customer reference as it is stored. Null if the report has none. */
export function referenceOf(document: string): string | null {
  return (JSON.parse(document) as Report).customer_reference
}

/** Proofs with the reference of their report. */
export function proofReader(database: Queryable, personalData: PersonalData): ReadProof {
  return async (report) =>
    readProof(database, { ...report, reference: await sealedReferenceOf(personalData, report.document) })
}

/** Null if the report has no sealed reference. */
async function sealedReferenceOf(
  personalData: PersonalData,
  document: string,
): Promise<SealedReference | null> {
  const sealed = referenceOf(document)
  if (sealed === null || keyIdOf(sealed) === null) return null
  return { sealed, salt: (await personalData.openingOf(sealed))?.salt ?? null }
}
