/** The work list, and the changes of a case. The panel of a case is on the page of its report. */
import type { Page } from '../../server/page.js'
import { addNote, setDisposition } from './change-case.js'
import { showCases } from './show-cases.js'

export const casesPages: readonly Page[] = [showCases, addNote, setDisposition]
