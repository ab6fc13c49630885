/** Every endpoint of cases. */
import type { Endpoint, LargeReads } from '@cupel/gate/http'
import { addReportNote } from './add-note.js'
import { assignReportCase, listCaseAssignees } from './assign-case.js'
import { attachCaseFile, getCaseFile } from './case-files.js'
import type { ReadProof } from '@cupel/reports/routes'
import { getReportCase } from './get-case.js'
import { getCaseDossier, type DossierParts } from './get-dossier.js'
import { getReportCaseProof } from './get-case-proof.js'
import { listReportCases } from './list-cases.js'
import { listReportNotes } from './list-notes.js'
import { setReportDisposition } from './set-disposition.js'

export { type CaseParts, caseAuthorOf, caseText, factsOf } from './case-description.js'

interface Parts extends DossierParts {
  readonly bulk: { readonly largeReads: Pick<LargeReads, 'during' | 'open'> }
  readonly transparency: DossierParts['transparency'] & { readonly readProof: ReadProof }
}

export function casesFeature(parts: Parts): readonly Endpoint[] {
  const { cases, transparency, bulk } = parts
  return [
    getReportCase(cases),
    getReportCaseProof(cases, transparency.readProof),
    listReportNotes(cases),
    addReportNote(cases),
    setReportDisposition(cases),
    listReportCases(cases),
    listCaseAssignees(cases),
    assignReportCase(cases),
    attachCaseFile(cases),
    getCaseFile(cases, bulk.largeReads),
    getCaseDossier(parts, bulk.largeReads),
  ]
}
export { createReadCaseText } from './read-case-text.js'
