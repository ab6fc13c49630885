/** Every endpoint of cases. */
import type { Endpoint } from '../../http/endpoint.js'
import { addReportNote } from './add-note.js'
import type { CaseParts } from './case-description.js'
import { getReportCase } from './get-case.js'
import { listReportCases } from './list-cases.js'
import { listReportNotes } from './list-notes.js'
import { setReportDisposition } from './set-disposition.js'

export type { CaseParts } from './case-description.js'

export function caseEndpoints(parts: CaseParts): readonly Endpoint[] {
  return [
    getReportCase(parts),
    listReportNotes(parts),
    addReportNote(parts),
    setReportDisposition(parts),
    listReportCases(parts),
  ]
}
