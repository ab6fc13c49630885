/** The work list, each case with its files and its dossier, and the changes of a case. Its panel is on the page of its report too. */
import type { Page } from '@cupel/console'
import { addNote, assignCase, attachFile, setDisposition } from './change-case.js'
import { downloadDossier, downloadFile } from './download-case.js'
import { showCase } from './show-case.js'
import { showCases } from './show-cases.js'

export const casesPages: readonly Page[] = [
  ...[showCases, showCase, downloadDossier, downloadFile],
  ...[addNote, setDisposition, assignCase, attachFile],
]
export { casePanel } from './report-panel.js'
export { openCase } from './open-case.js'
