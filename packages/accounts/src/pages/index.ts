export { keyPages } from './keys/index.js'
export { oidcPages } from './oidc/index.js'
export { signInPages } from './sign-in/index.js'
