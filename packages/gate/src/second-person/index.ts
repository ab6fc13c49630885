/** What one person proposes and another one confirms: who is another person, and the proposed changes. */
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
  findProposedChange,
  listProposedChanges,
  listUndecidedChanges,
  settleChange,
  storeDecision,
  storeProposal,
  type ChangeOnRecord,
  type ChangeStatus,
  type ProposedChange,
  type SeenChanges,
} from './proposed-changes.js'
