export { decideDisposition, isSamePerson, needsSecondPerson } from './decide-disposition.js'
export type { CasePersonId, CaseState, DispositionOrder } from './decide-disposition.js'
