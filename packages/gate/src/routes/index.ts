export { accountsFeature } from './feature.js'
export { expiryField, needsSecondPerson, reasonField } from './keys/key-description.js'
export { changedSetting, changeFinding } from './proposed-changes/change-description.js'
export {
  ChangeRefused,
  type ChangeEffect,
  type ChangeKind,
  type ProposedOrder,
} from './proposed-changes/change-kinds.js'
export { createPersonSignIn } from './sessions/person-sign-in.js'

export { createChangeSettler } from './proposed-changes/settle-changes.js'
