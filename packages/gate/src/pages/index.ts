export { accountPages } from './accounts/index.js'
export {
  API_CHANGES,
  changePages,
  changeStatusText,
  changeTitle,
  isRedirect,
  pathOfChange,
  personText,
  readWaiting,
  sendOrPropose,
  WaitingChanges,
  type ChangeEffect,
  type ChangePanel,
  type ProposedChange,
} from './changes/index.js'
export { keyPages } from './keys/index.js'
export { oidcPages } from './oidc/index.js'
export { signInPages } from './sign-in/index.js'
