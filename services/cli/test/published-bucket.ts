/** Settings with which an installation publishes its transparency log in an object store too. */
import type { ScriptedStore } from '@cupel/testkit'

export const inBucket = ({ bucket, connection }: ScriptedStore): Readonly<Record<string, string>> => ({
  CUPEL_CHECKPOINT_FOLDER: `s3://${bucket}/p`,
  CUPEL_S3_ENDPOINT: connection.endpoint,
  CUPEL_S3_INSECURE: 'true',
  CUPEL_S3_ACCESS_KEY_ID: connection.credentials.accessKeyId,
  CUPEL_S3_SECRET_ACCESS_KEY: connection.credentials.secretAccessKey,
})
