/** The features of the API, in the order of its description: each gives the endpoints of one package. */
import { accountsFeature } from '@cupel/gate/routes'
import { auditFeature } from '@cupel/audit/routes'
import { bulkFeature } from '@cupel/bulk/routes'
import { casesFeature, createReadCaseText } from '@cupel/cases/routes'
import { evidenceFeature } from '@cupel/evidence/routes'
import type { Plan, PlanName } from '@cupel/domain'
import type { PageTokens } from '@cupel/gate/http'
import type { OwnLabelFollower } from '@cupel/labels'
import type { Database } from '@cupel/postgres'
import type { Appendices } from '@cupel/reports/routes'
import { labelsFeature } from '@cupel/labels/routes'
import { ledgerFeature } from '@cupel/ledger/routes'
import { operationFeature } from '@cupel/operation/routes'
import { policyFeature } from '@cupel/policy/routes'
import { reportsFeature } from '@cupel/reports/routes'
import { screeningFeature } from '@cupel/screening/routes'
import { sharingFeature } from '@cupel/sharing/routes'
import { markWatchesOf } from '@cupel/watches'
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

/** What a change of an own label tells. */
export const ownLabelFollowers: readonly OwnLabelFollower[] = [markWatchesOf]

/** What may follow a report in its PDF, by the word of the parameter. */
export const appendices: Appendices = {
  case: createReadCaseText,
}

type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never

/** What several features take. */
interface SharedParts {
  readonly database: Database
  readonly tokens: PageTokens
  readonly plansInForce: Readonly<Record<PlanName, Plan>>
  /** Whether a sign-in service is configured. */
  readonly doPeopleSignIn: boolean
  /** Levels of reports that two persons clear. */
  readonly secondPersonLevels: readonly string[]
  /** The address of the page of a report, before the id of the report. */
  readonly reportPageUrl: () => string
  /** The address that the token of a share link opens, for people. */
  readonly shareUrlOf: (token: string) => string
}

/** What the features need. */
export type FeatureParts = SharedParts & Together<Parameters<(typeof features)[number]>[0]>
