/** The pages of the features, and what they show on the first page. */
import { accountPages, changePages, keyPages } from '@cupel/gate/pages'
import { auditPages, usagePages } from '@cupel/audit/pages'
import { bulkPages } from '@cupel/bulk/pages'
import { casePanel, casesPages, openCase } from '@cupel/cases/pages'
import type { HomeCard, Page } from '@cupel/console'
import { demoPages, labelPages, listsPages } from '@cupel/labels/pages'
import { ledgerPages } from '@cupel/ledger/pages'
import { healthPages } from '@cupel/operation/pages'
import { policyPages, policyPanel } from '@cupel/policy/pages'
import { comparePages, historyPages, reportPages } from '@cupel/reports/pages'
import { screenPages, transferPages } from '@cupel/screening/pages'
import { sharePanel, sharingPages } from '@cupel/sharing/pages'
import { inboxCard, watchesPages } from '@cupel/watches/pages'
import { webhookPages } from '@cupel/webhooks/pages'

export const featurePages: readonly Page[] = [
  ...demoPages,
  ...screenPages,
  ...transferPages,
  ...reportPages([casePanel, sharePanel]),
  ...casesPages,
  ...sharingPages,
  ...historyPages,
  ...comparePages,
  ...listsPages,
  ...labelPages,
  ...ledgerPages,
  ...policyPages,
  ...keyPages,
  ...changePages([policyPanel]),
  ...accountPages,
  ...usagePages,
  ...healthPages,
  ...auditPages,
  ...bulkPages,
  ...watchesPages([openCase]),
  ...webhookPages,
]

export const homeCards: readonly HomeCard[] = [inboxCard]
