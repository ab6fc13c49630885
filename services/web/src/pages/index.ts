/** Every page of the console. The server serves this list. */
import type { SignInService } from '../oidc/sign-in-service.js'
import type { Page } from '../server/page.js'
import { auditPages } from './audit/index.js'
import { casesPages } from './cases/index.js'
import { comparePages } from './compare/index.js'
import { demoPages } from './demo/index.js'
import { healthPages } from './health/index.js'
import { historyPages } from './history/index.js'
import { bulkPages } from './bulk/index.js'
import { homePages } from './home/index.js'
import { inboxPages } from './inbox/index.js'
import { keyPages } from './keys/index.js'
import { labelPages } from './labels/index.js'
import { listsPages } from './lists/index.js'
import { oidcPages } from './oidc/index.js'
import { policyPages } from './policy/index.js'
import { reportPages } from './report/index.js'
import { screenPages } from './screen/index.js'
import { sharingPages } from './sharing/index.js'
import { signInPages } from './sign-in/index.js'
import { transferPages } from './transfers/index.js'
import { usagePages } from './usage/index.js'
import { watchesPages } from './watches/index.js'
import { webhookPages } from './webhooks/index.js'

/** `service`: null where people sign in with a key alone. */
export const pagesOf = (service: SignInService | null): readonly Page[] => [
  ...signInPages(service),
  ...(service === null ? [] : oidcPages(service)),
  ...homePages,
  ...demoPages,
  ...screenPages,
  ...transferPages,
  ...reportPages,
  ...inboxPages,
  ...casesPages,
  ...sharingPages,
  ...historyPages,
  ...comparePages,
  ...listsPages,
  ...labelPages,
  ...policyPages,
  ...keyPages,
  ...usagePages,
  ...healthPages,
  ...auditPages,
  ...bulkPages,
  ...watchesPages,
  ...webhookPages,
]
