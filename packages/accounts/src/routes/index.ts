export { accountsFeature } from './feature.js'
export { expiryField, needsSecondPerson, reasonField } from './keys/key-description.js'
export { ChangeRefused, type ChangeKind } from './proposed-changes/change-kinds.js'
export { createPersonSignIn } from './sessions/person-sign-in.js'
