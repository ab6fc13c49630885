/** What a service that was taken over could do with its role in the database: lower what evidence demands, alter inputs, fill the disk. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack } from './attack.js'
import type { Target } from './target.js'

/** The role of the services of a local installation, which one process shares. */
const ROLE = 'cupel_service'
const DONE = 'it was done'
const REFUSED = /permission denied/

const announced = (type: string, topic: string): string =>
  `INSERT INTO projection.outbox (topic, key, event) VALUES ('${topic}', 'attack', '{"type":"${type}"}')`

const statements: Readonly<Record<string, string>> = {
  'the registered record keys are deleted': 'DELETE FROM log.record_key',
  'the policy in force is deleted': 'DELETE FROM policy_view.activation',
  'the policy in force is altered': `UPDATE policy_view.activation SET document = '{}'`,
  'a list in force is deleted': 'DELETE FROM label_view.publication',
  'labels are altered': `UPDATE label_view.label SET category = 'clean_exchange'`,
  'a segment of the ledger is altered': 'UPDATE ledger.segment SET ledger_seq = NULL',
  'transfers of the ledger are deleted': 'DELETE FROM ledger.transfer',
  'labels are published through the outbox': announced('LabelSetPublished', 'screening.label.events.v1'),
  'a policy is activated through the outbox': announced('PolicyActivated', 'screening.policy.events.v1'),
  'an event of the outbox becomes another one': `${announced('SigningKeyPublished', 'log.signing-key.events.v1')};
    UPDATE projection.outbox SET event = '{"type":"PolicyActivated"}'`,
  'a temporary table': 'CREATE TEMPORARY TABLE own (id int)',
  'a table in the schema public': 'CREATE TABLE public.own (id int)',
  'a large object': `PERFORM lo_from_bytea(0, 'x')`,
  'a file of the server is read': `PERFORM pg_read_file('PG_VERSION')`,
}

function asService(name: string, statement: string): Attack {
  return {
    name: `with the role of the services: ${name}`,
    threat: 'forgery',
    place: 'installation',
    async run({ installation, executeAsOwner }: Target) {
      const { databaseUrl } = JSON.parse(readFileSync(join(installation.home, 'run.json'), 'utf8')) as {
        databaseUrl: string
      }
      // Whatever it does is rolled back.
      const attempt = `DO $$ BEGIN
        EXECUTE 'SET LOCAL SESSION AUTHORIZATION ${ROLE}'; ${statement}; RAISE EXCEPTION '${DONE}';
      END $$`
      const measured = await executeAsOwner(databaseUrl, attempt, []).then(
        () => DONE,
        (error: unknown) => (error as Error).message,
      )
      return { limit: 'permission denied', measured, held: REFUSED.test(measured) }
    },
  }
}

export const databaseRole: readonly Attack[] = Object.entries(statements).map(([name, statement]) =>
  asService(name, statement),
)
