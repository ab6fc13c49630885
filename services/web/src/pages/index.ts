/** Every page of the console. The server serves this list. */
import type { SignInService, Page } from '@cupel/console'
import { auditPages, usagePages } from '@cupel/audit/pages'
import { casesPages } from '@cupel/cases/pages'
import { comparePages, historyPages, reportPages } from '@cupel/reports/pages'
import { demoPages, labelPages, listsPages } from '@cupel/labels/pages'
import { healthPages } from '@cupel/operation/pages'
import { bulkPages } from '@cupel/bulk/pages'
import { homePages } from './home/index.js'
import { ledgerPages } from '@cupel/ledger/pages'
import { inboxPages, watchesPages } from '@cupel/watches/pages'
import { accountPages, changePages, keyPages, oidcPages, signInPages } from '@cupel/accounts/pages'
import { policyPages } from '@cupel/policy/pages'
import { screenPages, transferPages } from '@cupel/screening/pages'
import { sharingPages } from '@cupel/sharing/pages'
import { webhookPages } from '@cupel/webhooks/pages'

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
  ...ledgerPages,
  ...policyPages,
  ...keyPages,
  ...changePages,
  ...accountPages,
  ...usagePages,
  ...healthPages,
  ...auditPages,
  ...bulkPages,
  ...watchesPages,
  ...webhookPages,
]
