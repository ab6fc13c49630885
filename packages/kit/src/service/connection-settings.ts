/** The settings of the connections to Postgres, Kafka and the schema registry, and of the topics. */
import { z } from 'zod'
import { file, flag, insecure, list, secretFile, url } from './setting-types.js'

const TOPIC_OVERRIDE = /^([a-z0-9._-]+\/)?[a-z][a-z.]+$/

export const settingsOfConnections = {
  CUPEL_DATABASE_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Postgres connection string (15 or later). Required by every service; `cupel install` gives its user the rights of the services.',
    ),
  CUPEL_DATABASE_URL_FILE: file(
    'File whose content is CUPEL_DATABASE_URL, in place of that setting. Each new connection takes its password again, and nothing else of it.',
  ),
  CUPEL_DATABASE_ADMIN_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Postgres connection string of the owner of the tables, for `cupel install` and the other commands of operators. Services never need it. Without it they use CUPEL_DATABASE_URL.',
    ),
  CUPEL_DATABASE_ADMIN_URL_FILE: secretFile('CUPEL_DATABASE_ADMIN_URL'),
  CUPEL_SERVICE_DATABASE_URLS: file(
    'Folder with the connection string of each service in a file of its name (api, scorer, bulk-coordinator, webhook-dispatcher, label-refresher, projector), for `cupel install`: every service then has a user of its own, with the rights of its own statements. Without it all of them share the user of CUPEL_DATABASE_URL.',
  ),
  CUPEL_DATABASE_INSECURE: insecure('the Postgres server of CUPEL_DATABASE_URL'),
  CUPEL_DATABASE_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe(
      'Connections a service may open to Postgres. The API opens two more for large reads, and a scorer with a ledger four more for each thread that examines addresses.',
    ),
  CUPEL_LEDGER_URL: z
    .string()
    .regex(
      /^clickhouses?:\/\/[^/]+\/[A-Za-z_]\w*$/,
      'expected clickhouse://USER:PASSWORD@HOST:PORT/DATABASE, or clickhouses:// for TLS',
    )
    .optional()
    .describe(
      'Where the transfers of the ledger are, if not in Postgres: `clickhouse://USER:PASSWORD@HOST:PORT/DATABASE`, or `clickhouses://` for TLS (docs/ledger.md). Every service and every command needs the same one.',
    ),
  CUPEL_LEDGER_URL_FILE: secretFile('CUPEL_LEDGER_URL'),
  CUPEL_LEDGER_INSECURE: insecure('the ClickHouse of CUPEL_LEDGER_URL'),
  CUPEL_KAFKA_BROKERS: list
    .prefault('')
    .describe('Comma-separated host:port of Kafka brokers; required where CUPEL_LOG=kafka.'),
  CUPEL_KAFKA_TLS: flag
    .default(false)
    .describe(
      'Connect to Kafka over TLS, verified with CUPEL_KAFKA_TLS_CA_FILE or else the certificate authorities of the system.',
    ),
  CUPEL_KAFKA_TLS_CA_FILE: file(
    'File with the certificate authorities of the brokers in PEM. It is read again for each new connection, as the next two are.',
  ),
  CUPEL_KAFKA_TLS_CERT_FILE: file(
    'File with the certificate of this client in PEM, where the brokers ask for one.',
  ),
  CUPEL_KAFKA_TLS_KEY_FILE: file(
    'File with the private key that belongs to CUPEL_KAFKA_TLS_CERT_FILE, in PEM.',
  ),
  CUPEL_KAFKA_TLS_SERVER_NAME: z
    .string()
    .min(1)
    .optional()
    .describe('Name that the certificates of the brokers must have; by default the one in their address.'),
  CUPEL_KAFKA_COMPRESSION: z
    .enum(['gzip', 'none'])
    .default('gzip')
    .describe('How batches of 1 KiB or more are packed before they are sent to the brokers.'),
  CUPEL_KAFKA_INSECURE: insecure('the brokers of CUPEL_KAFKA_BROKERS'),
  CUPEL_KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .optional()
    .describe('SASL mechanism, where the brokers require one.'),
  CUPEL_KAFKA_USERNAME: z.string().optional().describe('SASL user name.'),
  CUPEL_KAFKA_PASSWORD: z.string().optional().describe('SASL password.'),
  CUPEL_KAFKA_PASSWORD_FILE: file(
    'File whose content is CUPEL_KAFKA_PASSWORD, in place of that setting. It is read again for each new connection.',
  ),
  CUPEL_KAFKA_OAUTH_TOKEN_URL: url
    .optional()
    .describe('Where to fetch tokens for the mechanism oauthbearer, by OAuth 2.0 client credentials.'),
  CUPEL_KAFKA_OAUTH_CLIENT_ID: z.string().min(1).optional().describe('Client id for that address.'),
  CUPEL_KAFKA_OAUTH_CLIENT_SECRET: z.string().min(1).optional().describe('Client secret for that address.'),
  CUPEL_KAFKA_OAUTH_CLIENT_SECRET_FILE: file(
    'File whose content is CUPEL_KAFKA_OAUTH_CLIENT_SECRET, in place of that setting. It is read again for each token.',
  ),
  CUPEL_KAFKA_OAUTH_SCOPE: z
    .string()
    .min(1)
    .optional()
    .describe('Scope to ask for, where the address needs one.'),
  CUPEL_KAFKA_REPLICATION: z.coerce
    .number()
    .int()
    .min(1)
    .max(9)
    .optional()
    .describe(
      'Replication factor of new topics, and the least of existing ones; by default 3, or the number of brokers if there are fewer.',
    ),
  CUPEL_REGISTRY_URL: url
    .optional()
    .describe(
      'Base address of a schema registry with the Confluent interface, for `cupel install`. Services never call it.',
    ),
  CUPEL_REGISTRY_USERNAME: z.string().min(1).optional().describe('User name at the registry (HTTP basic).'),
  CUPEL_REGISTRY_PASSWORD: z.string().optional().describe('Password of CUPEL_REGISTRY_USERNAME.'),
  CUPEL_REGISTRY_PASSWORD_FILE: secretFile('CUPEL_REGISTRY_PASSWORD'),
  CUPEL_REGISTRY_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('Bearer token at the registry, in place of user name and password.'),
  CUPEL_REGISTRY_TOKEN_FILE: secretFile('CUPEL_REGISTRY_TOKEN'),
  CUPEL_REGISTRY_CA_FILE: file(
    'File with the certificate authorities of the registry in PEM; by default those of the system.',
  ),
  CUPEL_REGISTRY_INSECURE: insecure('the registry of CUPEL_REGISTRY_URL'),
  CUPEL_RETENTION_ARCHIVE: z
    .string()
    .regex(/^(?:\/|s3:\/\/)/, 'expected the path of a folder from the root, or s3://bucket/prefix')
    .optional()
    .describe(
      'The archive that has the records which retention cut from the log (docs/retention.md): a folder, or `s3://bucket/prefix`. Every service and every command reads on there. Give it to all of them before the log is cut.',
    ),
  CUPEL_S3_ENDPOINT: url
    .optional()
    .describe(
      'Base address of the S3-compatible store of archives and checkpoints in `s3://bucket/prefix`; by default the one of Amazon S3 in CUPEL_S3_REGION. Buckets are named in the path.',
    ),
  CUPEL_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default('us-east-1')
    .describe('Region of that store, which every call is signed for.'),
  CUPEL_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('Access key at that store.'),
  CUPEL_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('Secret of CUPEL_S3_ACCESS_KEY_ID.'),
  CUPEL_S3_SECRET_ACCESS_KEY_FILE: secretFile('CUPEL_S3_SECRET_ACCESS_KEY'),
  CUPEL_S3_SESSION_TOKEN: z.string().min(1).optional().describe('Token of temporary access keys.'),
  CUPEL_S3_SESSION_TOKEN_FILE: secretFile('CUPEL_S3_SESSION_TOKEN'),
  CUPEL_S3_CA_FILE: file(
    'File with the certificate authorities of that store in PEM; by default those of the system.',
  ),
  CUPEL_S3_INSECURE: insecure('the store of CUPEL_S3_ENDPOINT'),
  CUPEL_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-z0-9.-]*$/)
    .default('')
    .describe('Separates installations that share a cluster.'),
  CUPEL_TOPIC_OVERRIDES: list
    .pipe(z.array(z.string().regex(TOPIC_OVERRIDE, 'expected SETTING or TOPIC/SETTING, as retention.bytes')))
    .prefault('')
    .describe(
      'Comma-separated settings of topics that may differ from what the log needs, as retention.bytes for all topics or screening.report.events.v1/retention.bytes for one; replication.factor too. Every start warns of them; without it the start is refused.',
    ),
  CUPEL_RECORD_KEYS_FILE: file(
    'File with the secret keys of record MACs, the same for every process but the console (docs/runbooks/record-keys.md). `cupel start` makes one in CUPEL_HOME, and `cupel log add-key` elsewhere. Nothing starts without it.',
  ),
  CUPEL_PERSONAL_DATA_KEYS_FILE: file(
    'File with the secret keys under which the keys of personal data are wrapped, the same for the API, the webhook dispatcher and operators (docs/personal-data.md). `cupel start` makes one in CUPEL_HOME. Without it personal data is stored as it is, and cannot be erased.',
  ),
} as const
