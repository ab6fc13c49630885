/** The list of work, and the changes of a case. Its panel is on the page of the report. */
import type { Page } from '../../server/page.js'
import { addNote, setDisposition } from './change-case.js'
import { showCases } from './show-cases.js'

export const casesPages: readonly Page[] = [showCases, addNote, setDisposition]
