/** A store with the S3 interface. */
export { isS3Address, s3Address, type S3Address } from './s3-address.js'
export type { S3Connection, S3Credentials, S3Times } from './s3-call.js'
export { openS3Client, type S3Client, type S3Object } from './s3-client.js'
export { StoreRefusedError, StoreUnavailableError } from './s3-errors.js'
export { s3Connection, type S3Config } from './s3-settings.js'
