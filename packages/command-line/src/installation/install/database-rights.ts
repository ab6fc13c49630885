/**
 * The rights of a role in the database, compared with those that its services need, and set to them: what is missing is given and what is
 * superfluous is taken.
 */
import { topicOf, topicSpecs } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { EVERY_ROW_ROLE, TENANT_ROLE } from '@cupel/projections'
import {
  databaseRights,
  historyRights,
  logServices,
  type AnyService,
  type DatabaseRights,
  type Verb,
} from '@cupel/operation/connections'
import type { Config } from '@cupel/kit/service'

/** The rights of all these services together, for a role that they share. A scorer writes the ledger only if it may read histories. */
export function rightsOf(
  services: readonly AnyService[] = logServices,
  { CUPEL_HISTORIES: withHistories }: Partial<Pick<Config, 'CUPEL_HISTORIES'>> = {},
): DatabaseRights {
  const given: Readonly<Record<AnyService, DatabaseRights>> = {
    ...databaseRights,
    ...(withHistories === true ? historyRights : {}),
  }
  const each = services.map((service) => given[service])
  const tables: Record<string, readonly Verb[]> = {}
  for (const [table, verbs] of each.flatMap((rights) => Object.entries(rights.tables)))
    tables[table] = [...new Set([...(tables[table] ?? []), ...verbs])]
  const outbox = [...new Set(each.flatMap((rights) => rights.outbox))]
  return { tables, outbox, actsAsTenant: each.some(({ actsAsTenant }) => actsAsTenant) }
}

export interface RightsChange {
  readonly isGiven: boolean
  /** A table, a schema or a role. */
  readonly on: string
  readonly statement: string
}

/** What has to be given to the role and taken from it. The role exists. */
export async function rightsChanges(
  database: Queryable,
  role: string,
  rights: DatabaseRights,
): Promise<RightsChange[]> {
  const { tables, actsAsTenant } = rights
  const wanted = Object.entries(tables).flatMap(([table, verbs]) => verbs.map((verb) => ({ table, verb })))
  const changes = await database.query<RightsChange & Record<string, unknown>>(CHANGES, [
    role,
    JSON.stringify(wanted),
    JSON.stringify([
      { name: EVERY_ROW_ROLE, inherits: true },
      ...(actsAsTenant ? [{ name: TENANT_ROLE, inherits: false }] : []),
    ]),
  ])
  return [...changes, ...(await outboxChanges(database, role, rights))]
}

/** The types of events that the role writes to the outbox, with the topics that such an event has. */
async function outboxChanges(
  database: Queryable,
  role: string,
  { outbox }: DatabaseRights,
): Promise<RightsChange[]> {
  const [found] = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('projection.outbox_right') IS NOT NULL AS exists`,
  )
  // Before the first installation there is no table. Its grants are made in the same step as these rows.
  if (!found!.exists) return []
  const existing = new Set(topicSpecs.map(({ name }) => name))
  const wanted = outbox.flatMap((type) =>
    [topicOf(type), topicOf(type, false)]
      .filter((topic) => existing.has(topic))
      .map((topic) => ({ type, topic })),
  )
  return await database.query<RightsChange & Record<string, unknown>>(OUTBOX_CHANGES, [
    role,
    JSON.stringify(wanted),
  ])
}

/** At most two: what is given to somebody and what is taken. */
export function sentencesOf(whom: string, changes: readonly RightsChange[]): string[] {
  return [true, false].flatMap((isGiven) => {
    const [first, ...others] = changes.filter((change) => change.isGiven === isGiven)
    if (first === undefined) return []
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return [
      isGiven
        ? `Give ${whom} rights on ${first.on}${more}.`
        : `Take from ${whom} rights on ${first.on}${more}.`,
    ]
  })
}

/** What everybody has and no service needs: temporary tables, tables in `public`, and large objects, which have no owner that is checked. */
export async function publicRights(database: Queryable): Promise<PublicRight[]> {
  return await database.query<PublicRight & Record<string, unknown>>(PUBLIC_RIGHTS)
}

/** Those that this user can take. */
export async function takeableRights(database: Queryable): Promise<RightsChange[]> {
  return (await publicRights(database)).filter(({ canTake }) => canTake)
}

export interface PublicRight extends RightsChange {
  /** False on a managed server, where the functions of large objects belong to somebody else. */
  readonly canTake: boolean
}

/** One transaction, so that no session sees the role with more rights, or with fewer than it needs. */
export async function settleRights(
  database: Database,
  logins: readonly { readonly role: string; readonly rights: DatabaseRights }[],
): Promise<void> {
  await database.transaction({ at: 'log.migrate' }, async (transaction) => {
    // Two concurrent grants on one table would fail, so they take turns.
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('cupel.grants', 0))`)
    const changes = await takeableRights(transaction)
    for (const { role, rights } of logins) changes.push(...(await rightsChanges(transaction, role, rights)))
    for (const { statement } of changes) await transaction.query(statement)
  })
}

/** Read models and tables of packages; `public` has the record of migrations. */
const OWN_SCHEMAS = `(n.oid >= 16384 OR n.nspname = 'public')`

const CHANGES = `
  WITH role AS (SELECT oid, rolname FROM pg_roles WHERE rolname = $1),
  asked AS (SELECT to_regclass(w.table)::oid AS oid, w.verb FROM json_to_recordset($2::json) AS w ("table" text, verb text)
    WHERE w.verb <> 'MAINTAIN' OR current_setting('server_version_num')::int >= 170000),
  wanted AS (
    SELECT 'TABLE' AS kind, oid, verb FROM asked WHERE oid IS NOT NULL
    UNION SELECT 'SCHEMA', c.relnamespace, 'USAGE' FROM asked JOIN pg_class AS c USING (oid)),
  held AS (
    SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, c.oid, a.privilege_type AS verb
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace, aclexplode(c.relacl) AS a, role
    WHERE ${OWN_SCHEMAS} AND a.grantee = role.oid
    UNION ALL
    SELECT 'SCHEMA', n.oid, a.privilege_type FROM pg_namespace AS n, aclexplode(n.nspacl) AS a, role
    WHERE ${OWN_SCHEMAS} AND a.grantee = role.oid),
  differing AS (
    SELECT true AS "isGiven", m.* FROM (SELECT * FROM wanted EXCEPT SELECT * FROM held) AS m
    UNION ALL SELECT false, s.* FROM (SELECT * FROM held EXCEPT SELECT * FROM wanted) AS s),
  named AS (
    SELECT d.*, CASE d.kind WHEN 'SCHEMA' THEN d.oid::regnamespace::text ELSE d.oid::regclass::text END AS on
    FROM differing AS d),
  groups AS (
    SELECT w.*, g.oid FROM json_to_recordset($3::json) AS w (name text, inherits bool) LEFT JOIN pg_roles AS g ON g.rolname = w.name),
  memberships AS (
    SELECT g.rolname FROM pg_auth_members AS m JOIN role ON m.member = role.oid JOIN pg_roles AS g ON g.oid = m.roleid)
  SELECT "isGiven", "on", format(CASE WHEN "isGiven" THEN 'GRANT %s ON %s %s TO %I' ELSE 'REVOKE %s ON %s %s FROM %I' END,
    string_agg(verb, ', ' ORDER BY verb), kind, "on", $1::text) AS statement
  FROM named GROUP BY "isGiven", kind, "on"
  UNION ALL
  SELECT true, name, format('GRANT %I TO %I', name, $1::text) || CASE WHEN current_setting('server_version_num')::int < 160000 THEN ''
    ELSE format(' WITH INHERIT %s, SET %s', inherits::text, (NOT inherits)::text) END
  FROM groups, role
  WHERE name NOT IN (SELECT rolname FROM memberships) OR inherits AND NOT pg_has_role(role.oid, groups.oid, 'USAGE')
  UNION ALL
  SELECT false, rolname, format('REVOKE %I FROM %I', rolname, $1::text) FROM memberships
  WHERE rolname NOT IN (SELECT name FROM groups)
  ORDER BY 1 DESC, 2`

const OUTBOX_CHANGES = `
  WITH wanted AS (SELECT type, topic FROM json_to_recordset($2::json) AS w (type text, topic text)),
  held AS (SELECT type, topic FROM projection.outbox_right WHERE role = $1),
  differing AS (
    SELECT true AS "isGiven", m.* FROM (SELECT * FROM wanted EXCEPT SELECT * FROM held) AS m
    UNION ALL SELECT false, s.* FROM (SELECT * FROM held EXCEPT SELECT * FROM wanted) AS s)
  SELECT "isGiven", type || ' in the outbox' AS on, format(CASE WHEN "isGiven"
      THEN 'INSERT INTO projection.outbox_right (role, type, topic) VALUES (%L, %L, %L)'
      ELSE 'DELETE FROM projection.outbox_right WHERE role = %L AND type = %L AND topic = %L' END, $1::text, type, topic) AS statement
  FROM differing ORDER BY 1 DESC, 2, topic`

const PUBLIC_RIGHTS = `
  SELECT false AS "isGiven", 'temporary tables' AS on, format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', d.datname) AS statement,
    pg_has_role(d.datdba, 'USAGE') AS "canTake"
  FROM pg_database AS d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
  WHERE d.datname = current_database() AND a.grantee = 0 AND a.privilege_type = 'TEMPORARY'
  UNION ALL
  SELECT false, 'the schema public', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC', pg_has_role(n.nspowner, 'USAGE')
  FROM pg_namespace AS n, aclexplode(n.nspacl) AS a
  WHERE n.nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE'
  UNION ALL
  SELECT false, 'large objects', format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure),
    pg_has_role(p.proowner, 'USAGE')
  FROM pg_proc AS p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
  WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^(lo_.*|loread|lowrite)$'
    AND a.grantee = 0`
