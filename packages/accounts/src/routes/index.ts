export { accountsFeature } from './feature.js'
export { expiryField, reasonField } from './keys/key-description.js'
export { createPersonSignIn } from './sessions/person-sign-in.js'
