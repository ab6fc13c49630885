/** What one person proposes and another one confirms: who is another person, and the proposed changes of keys and lists. */
export {
  authorOfProposal,
  isOtherPerson,
  personOfCall,
  plainOf,
  type SecondPersonParts,
} from './other-person.js'
export {
  CHANGE_DAYS,
  changeExpiry,
  changeStatus,
  decideChange,
  MAX_CHANGES_A_DAY,
  proposeChange,
  readProposedChanges,
  type ChangeLog,
  type ChangeOnRecord,
  type ChangeStatus,
  type ProposedChange,
} from './proposed-changes.js'
