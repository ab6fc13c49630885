/**
 * The sealed texts of a report and of its case, for their proof: what is hashed has the sealed ones, and what the caller reads the plain
 * ones.
 */
import type { RecordedEntry, Report } from '@cupel/contracts'
import { keyIdOf, type PersonalData } from '@cupel/personal-data'
import type { Queryable } from '@cupel/postgres'
import { readProof, type ProvableEntry, type SealedReference } from '@cupel/evidence/transparency'
import type { ReadProof } from '../get-report-proof.js'

/** The customer reference as it is stored. Null if the report has none. */
export function referenceOf(document: string): string | null {
  return (JSON.parse(document) as Report).customer_reference
}

/** Proofs with what shows that the plain texts are the sealed ones. */
export function proofReader(database: Queryable, personalData: PersonalData): ReadProof {
  return async ({ entries = [], ...report }) =>
    readProof(database, {
      ...report,
      reference: await sealedReferenceOf(personalData, report.document),
      entries: await Promise.all(entries.map((entry) => provable(personalData, entry))),
    })
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

/** The names and texts of the entry are shown; permanent identifiers of persons stay sealed. */
async function provable(personalData: PersonalData, entry: RecordedEntry): Promise<ProvableEntry> {
  const openings: [sealed: string, plain: string, salt: string][] = []
  const { actor, text, keyName, assignment, file } = entry
  const shown = [actor, text, keyName, assignment?.assignee?.name, file?.name, file?.sha256]
  for (const sealed of new Set(shown.filter((each) => each !== undefined))) {
    const opened = keyIdOf(sealed) === null ? null : await personalData.openingOf(sealed)
    // The keys of other accounts open nothing.
    if (opened !== null && (await personalData.openText(sealed, entry.accountId)) === opened.text)
      openings.push([sealed, opened.text, opened.salt.toString('base64')])
  }
  return { entry, openings }
}
