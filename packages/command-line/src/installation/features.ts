/** What has primary tables, in the order of their references: the core, then the features. */
import { bulkMigrations } from '@cupel/bulk/worker'
import { casesTables } from '@cupel/cases'
import { eventLogMigrations } from '@cupel/event-log'
import { transparencyMigrations } from '@cupel/evidence/transparency'
import { accessMigrations, forgetAccount } from '@cupel/gate/access'
import { labelsTables } from '@cupel/labels'
import { ledgerMigrations } from '@cupel/ledger'
import { personalDataMigrations } from '@cupel/personal-data'
import { projectionsMigrations, type PrimaryTables } from '@cupel/projections'
import { heartbeatsMigrations } from '@cupel/projections/heartbeats'
import { sharingTables } from '@cupel/sharing'
import { watchesTables } from '@cupel/watches'
import { webhooksTables } from '@cupel/webhooks'

export const primaryTables = [
  { migrations: eventLogMigrations },
  { migrations: projectionsMigrations },
  { migrations: accessMigrations, forgetAccount },
  { migrations: personalDataMigrations, erasedTables: ['personal_data.reference_key'] },
  { migrations: bulkMigrations },
  labelsTables,
  { migrations: ledgerMigrations },
  webhooksTables,
  sharingTables,
  casesTables,
  watchesTables,
  { migrations: heartbeatsMigrations },
  { migrations: transparencyMigrations },
] as const satisfies readonly PrimaryTables[]
