/** Signing in with the sign-in service of the installation. */
import type { SignInService, Page } from '@cupel/console'
import { beginFlow } from './begin-flow.js'
import { finishFlow } from './finish-flow.js'
import { showSignedOut } from './show-signed-out.js'

export const oidcPages = (service: SignInService): readonly Page[] => [
  beginFlow(service),
  finishFlow(service),
  showSignedOut(service),
]
