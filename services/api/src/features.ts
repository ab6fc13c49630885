/** The features of the API, in the order of its description: each gives the endpoints of one package. */
import { accountsFeature } from '@cupel/accounts/routes'
import { auditFeature } from '@cupel/audit/routes'
import { bulkFeature } from '@cupel/bulk/routes'
import { casesFeature } from '@cupel/cases/routes'
import { evidenceFeature } from '@cupel/evidence/routes'
import { labelsFeature } from '@cupel/labels/routes'
import { ledgerFeature } from '@cupel/ledger/routes'
import { operationFeature } from '@cupel/operation/routes'
import { policyFeature } from '@cupel/policy/routes'
import { reportsFeature } from '@cupel/reports/routes'
import { screeningFeature } from '@cupel/screening/routes'
import { sharingFeature } from '@cupel/sharing/routes'
import { watchesFeature } from '@cupel/watches/routes'
import { webhooksFeature } from '@cupel/webhooks/routes'

export const features = [
  screeningFeature,
  reportsFeature,
  sharingFeature,
  casesFeature,
  bulkFeature,
  watchesFeature,
  webhooksFeature,
  labelsFeature,
  ledgerFeature,
  policyFeature,
  accountsFeature,
  auditFeature,
  evidenceFeature,
  operationFeature,
] as const

type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never

/** What the features need. */
export type FeatureParts = Together<Parameters<(typeof features)[number]>[0]>
