export { decideDisposition, needsSecondPerson } from './decide-disposition.js'
export type { CasePersonId, CaseState, DispositionDecision, DispositionOrder } from './decide-disposition.js'
