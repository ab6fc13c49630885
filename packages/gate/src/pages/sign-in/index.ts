/** Signing in with a key, and out. */
import type { Page } from '@cupel/console'
import { beginSession } from './begin-session.js'
import { endSession } from './end-session.js'
import { showSignIn, type SignInWith } from './show-sign-in.js'

export const signInPages = (service: SignInWith): readonly Page[] => [
  showSignIn(service),
  beginSession(service),
  endSession(service),
]
