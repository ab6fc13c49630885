/** The headers of every answer, as the API description shows them: as components, and by reference on each response. */
import { z } from 'zod'
import { securityHeaders, STRICT_TRANSPORT_SECURITY } from '@cupel/kit/http-edge'

type Json = Record<string, unknown>

interface CommonHeader {
  readonly name: string
  readonly description: string
  readonly example: string
  /** HSTS has no meaning over plain HTTP and is not sent there. */
  readonly required: boolean
}

/** The value of each is what `example` says, unless a response shows its own. */
const common: readonly CommonHeader[] = [
  {
    name: 'Cache-Control',
    description:
      'Answers are for the caller only and must not be cached, unless the response states otherwise.',
    example: securityHeaders['cache-control'],
    required: true,
  },
  {
    name: 'X-Content-Type-Options',
    description: 'The media type of the answer must not be guessed.',
    example: securityHeaders['x-content-type-options'],
    required: true,
  },
  {
    name: 'Content-Security-Policy',
    description: 'A browser that shows the answer must not load, run or frame anything.',
    example: securityHeaders['content-security-policy'],
    required: true,
  },
  {
    name: 'Referrer-Policy',
    description: 'Links send no Referer header.',
    example: securityHeaders['referrer-policy'],
    required: true,
  },
  {
    name: 'Cross-Origin-Resource-Policy',
    description: 'Pages of other origins cannot load the answer.',
    example: securityHeaders['cross-origin-resource-policy'],
    required: true,
  },
  {
    name: 'X-Frame-Options',
    description: 'For browsers that know no Content-Security-Policy.',
    example: securityHeaders['x-frame-options'],
    required: true,
  },
  {
    name: 'Strict-Transport-Security',
    description: 'Only over TLS, ended here or by a trusted proxy: a browser uses TLS only for a year.',
    example: STRICT_TRANSPORT_SECURITY,
    required: false,
  },
]

const componentOf = (name: string): string => name.replaceAll('-', '')

export const commonHeaderNames: readonly string[] = common.map(({ name }) => name)

/** Definitions for `components.headers`. */
export const commonHeaderComponents: Json = Object.fromEntries(
  common.map(({ name, description, example, required }) => [
    componentOf(name),
    { description, ...(required ? { required } : {}), schema: { type: 'string' }, example },
  ]),
)

/** References to them, for the `headers` of a response. */
export const commonHeaderReferences: Json = Object.fromEntries(
  common.map(({ name }) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]),
)

/** The header of answers that are the same for every caller. */
export const PUBLIC_FOR_MINUTES = {
  description: 'The same for everybody; new with each release.',
  schema: z.string(),
  example: 'public, max-age=300',
}
