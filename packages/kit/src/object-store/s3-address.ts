/** `s3://bucket/prefix`: a place in a store. */

export interface S3Address {
  readonly bucket: string
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string
}

const SCHEME = 's3://'
/** Names that every store accepts, and that need no escape in a path (Amazon S3 user guide, "Bucket naming rules"). */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

export const isS3Address = (text: string): boolean => text.startsWith(SCHEME)

/** Throws a RangeError with a sentence if the address is not valid. */
export function s3Address(text: string): S3Address {
  const [bucket = '', ...rest] = text.slice(SCHEME.length).split('/')
  const prefix = rest.join('/').replace(/\/$/, '')
  if (!BUCKET.test(bucket))
    throw new RangeError(`${text} names no bucket: 3 to 63 lowercase letters, digits, dots and hyphens.`)
  if (prefix !== '' && !PREFIX.test(prefix))
    throw new RangeError(
      `${text} has a prefix that is not used: letters, digits, dots, hyphens and underscores, in parts that a slash separates and no dot begins.`,
    )
  return { bucket, prefix }
}
