/** Every endpoint of cases. */
import type { BulkParts } from '@cupel/bulk/routes'
import type { Endpoint } from '@cupel/gate/http'
import { addReportNote } from './add-note.js'
import { assignReportCase, listCaseAssignees } from './assign-case.js'
import { attachCaseFile, getCaseFile } from './case-files.js'
import type { ReadProof } from '@cupel/reports/routes'
import { getReportCase } from './get-case.js'
import { getCaseDossier, type DossierParts } from './get-dossier.js'
import { getReportCaseProof } from './get-case-proof.js'
import { listReportCases } from './list-cases.js'
import { listReportNotes } from './list-notes.js'
import { openJobCases } from './open-job-cases.js'
import { setReportDisposition } from './set-disposition.js'

interface Parts extends DossierParts {
  readonly bulk: Pick<BulkParts, 'findItems' | 'largeReads'>
  readonly transparency: DossierParts['transparency'] & { readonly readProof: ReadProof }
}

export function casesFeature(parts: Parts): readonly Endpoint[] {
  const { transparency, bulk } = parts
  return [
    getReportCase(parts),
    getReportCaseProof(parts, transparency.readProof),
    listReportNotes(parts),
    addReportNote(parts),
    setReportDisposition(parts),
    listReportCases(parts),
    listCaseAssignees(parts),
    assignReportCase(parts),
    attachCaseFile(parts),
    getCaseFile(parts, bulk.largeReads),
    getCaseDossier(parts, bulk.largeReads),
    openJobCases(bulk, parts),
  ]
}
export { createReadCaseText } from './read-case-text.js'
