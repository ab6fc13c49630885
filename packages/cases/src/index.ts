export { casesMigrations } from './migrations.js'
export { addNote, assignCase, attachFile, mayConfirm, setDisposition } from './change-case.js'
export type { Actor, CaseFault, CaseRefusal, ChangeResult, NewFile, ReportFacts } from './change-case.js'
export {
  MAX_ACCOUNT_FILE_BYTES,
  MAX_ACCOUNT_FILES,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILE_NAME_LENGTH,
  MAX_FILES,
  MAX_NOTES,
  MAX_TEXT_LENGTH,
} from './limits.js'
export { isFileKnown, replayEntry, stateAfter } from './replay-entries.js'
export { judgeFile, type JudgedFile } from './judge-file.js'
export { listCases, listPeople, readCase, readFile } from './queries.js'
export type { CaseFilter, CasePersonSeen, Owner, StoredCase, StoredEntry, WholeCase } from './queries.js'
