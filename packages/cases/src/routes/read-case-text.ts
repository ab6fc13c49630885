/** The text of a case for printing: the same text for the same version of the case. */
import { readCase } from '../index.js'
import type { ReadCaseText } from '@cupel/reports/routes'
import { factsOf, type CaseParts } from './case-description.js'
import { caseDocument } from './case-document.js'

export function createReadCaseText({
  database,
  secondPersonLevels,
}: Pick<CaseParts, 'database' | 'secondPersonLevels'>): ReadCaseText {
  return async ({ accountId, livemode }, document) => {
    const facts = factsOf(document)
    const stored = await readCase(database, { accountId, livemode, reportId: facts.reportId })
    return JSON.stringify(caseDocument(facts, stored, secondPersonLevels))
  }
}
