/** Every endpoint of cases. */
import type { Endpoint, LargeReads } from '@cupel/gate/http'
import { addReportNote } from './add-note.js'
import { assignReportCase, listCaseAssignees } from './assign-case.js'
import { attachCaseFile, getCaseFile } from './case-files.js'
import type { CaseParts } from './case-description.js'
import type { ReadProof } from '@cupel/reports/routes'
import { getReportCase } from './get-case.js'
import { getReportCaseProof } from './get-case-proof.js'
import { listReportCases } from './list-cases.js'
import { listReportNotes } from './list-notes.js'
import { setReportDisposition } from './set-disposition.js'

export { type CaseParts, caseAuthorOf, caseText, factsOf } from './case-description.js'

export function caseEndpoints(
  parts: CaseParts,
  readProof: ReadProof,
  largeReads: Pick<LargeReads, 'during'>,
): readonly Endpoint[] {
  return [
    getReportCase(parts),
    getReportCaseProof(parts, readProof),
    listReportNotes(parts),
    addReportNote(parts),
    setReportDisposition(parts),
    listReportCases(parts),
    listCaseAssignees(parts),
    assignReportCase(parts),
    attachCaseFile(parts),
    getCaseFile(parts, largeReads),
  ]
}
export { getCaseDossier } from './get-dossier.js'
export { createReadCaseText } from './read-case-text.js'
