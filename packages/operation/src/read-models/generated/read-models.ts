// Generated from the imports of operation/read-models in boundaries.json by `npm run generate`. Do not edit.

import { auditView } from '@cupel/audit/read-model'
import { jobView } from '@cupel/bulk/read-model'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { caseView } from '@cupel/reports/dispositions'
import { reportView } from '@cupel/reports/read-model'
import { inboxView } from '@cupel/watches/read-model'

/** All read models, each with its own checkpoint. */
export const readModels = [
  auditView,
  jobView,
  labelView,
  policyView,
  caseView,
  reportView,
  inboxView,
] as const
