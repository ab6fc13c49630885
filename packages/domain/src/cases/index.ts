export {
  decideDisposition,
  isSamePerson,
  needsSecondPerson,
  type CasePersonId,
  type CaseState,
  type DispositionOrder,
} from './decide-disposition.js'
