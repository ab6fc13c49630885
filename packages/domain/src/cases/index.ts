export { decideDisposition, isSamePerson, needsSecondPerson } from './decide-disposition.js'
export type { CasePersonId, CaseState, DispositionDecision, DispositionOrder } from './decide-disposition.js'
