/** Every page of the console. The server serves this list. */
import { oidcPages, signInPages } from '@cupel/gate/pages'
import type { Page, SignInService } from '@cupel/console'
import { featurePages } from '../features.js'
import { homePages } from './home/index.js'

/** `service`: null where people sign in only with a key. */
export const pagesOf = (service: SignInService | null): readonly Page[] => [
  ...signInPages(service),
  ...(service === null ? [] : oidcPages(service)),
  ...homePages,
  ...featurePages,
]
