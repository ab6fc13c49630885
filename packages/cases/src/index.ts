export { casesTables } from './primary-tables.js'
export {
  addNote,
  assignCase,
  attachFile,
  mayConfirm,
  setDisposition,
  type Actor,
  type CaseRefusal,
  type ChangeResult,
} from './change-case.js'
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
export { judgeFile, type JudgedFile } from './judge-file.js'
export {
  listCases,
  listPeople,
  readCase,
  readFile,
  type CaseFilter,
  type Owner,
  type StoredCase,
  type StoredEntry,
} from './queries.js'
