import { auditView } from '@cupel/audit/read-model'
import { jobView } from '@cupel/bulk/read-model'
import { inboxView } from '@cupel/watches/read-model'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { caseView } from '@cupel/reports/dispositions'
import { reportView } from '@cupel/reports/read-model'

/** All read models, each with its own checkpoint. */
export const readModels = [
  policyView,
  labelView,
  reportView,
  auditView,
  jobView,
  caseView,
  inboxView,
] as const
