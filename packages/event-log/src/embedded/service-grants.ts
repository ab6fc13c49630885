/** The rights of the services' role in the schema of the log: read it, append through log.append, and take part in groups. */
export function logGrants(name: string): readonly string[] {
  const role = `"${name}"`
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA log FROM ${role}`,
    `GRANT USAGE ON SCHEMA log TO ${role}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA log TO ${role}`,
    `GRANT INSERT, UPDATE, DELETE ON log.group_member, log.group_lease TO ${role}`,
  ]
}
