/** A test of queries of tenants: it removes the walls between tenants, one and two at a time, and the remaining walls hold. */
import { ForeignRowError, type Tenant } from '@cupel/projections'
import type { Queryable } from '@cupel/postgres'
import { describe, expect, test } from 'vitest'

export const OWN: Tenant = { accountId: 'acc_own', livemode: true }
/** They have rows too. */
export const others: readonly Tenant[] = [
  { accountId: 'acc_other', livemode: true },
  // The other environment of the same account is another tenant.
  { accountId: 'acc_own', livemode: false },
]
const WALL = 'account_id = $1 AND livemode = $2'
const WALL_OF_ONE = 'account_id = $2 AND livemode = $3'

export type TenantQuery = readonly [string, (database: Queryable, tenant: Tenant) => Promise<unknown>]

/** Statements without their conditions; their parameters are still used, so that they run. */
function withoutFirstWall(database: Queryable, { rowSecurity }: { rowSecurity: boolean }): Queryable {
  const open = (text: string): string => {
    const opened = text
      .replaceAll(WALL, '($1::text IS NOT NULL AND $2::bool IS NOT NULL)')
      .replace(WALL_OF_ONE, '($2::text IS NOT NULL AND $3::bool IS NOT NULL)')
    if (opened === text) throw new Error(`No first wall was found in: ${text}`)
    return opened
  }
  return {
    query: (statement, values) => {
      if (typeof statement === 'string' || statement.scope === undefined)
        throw new Error('A query of a tenant without row security')
      const text = open(statement.text)
      return database.query(rowSecurity ? { text, scope: statement.scope } : text, values)
    },
    execute: () => Promise.reject(new Error('Queries write nothing')),
  }
}

/** `foreign` is what the rows of other tenants have and those of `OWN` have not. */
export function testWalls(queries: readonly TenantQuery[], database: () => Queryable, foreign: RegExp): void {
  describe.each(queries)('%s', (_name, query) => {
    test('with all walls brings nothing of another tenant', async () => {
      const brought = JSON.stringify(await query(database(), OWN))
      expect(brought).not.toMatch(foreign)
    })

    test('brings no more if the first wall is missing: the database shows only the rows of the tenant', async () => {
      const opened = withoutFirstWall(database(), { rowSecurity: true })
      expect(await query(opened, OWN)).toEqual(await query(database(), OWN))
    })

    test('fails, without a word of the foreign row, where row security is missing as well', async () => {
      const opened = withoutFirstWall(database(), { rowSecurity: false })
      const failed = await query(opened, OWN).catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(ForeignRowError)
      expect(String(failed)).not.toMatch(/acc_|report-|request-/)
      expect(String(failed)).not.toMatch(foreign)
    })
  })
}
