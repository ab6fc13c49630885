/** The headers with which every answer of the console instructs browsers and caches. */
import { securityHeaders } from '@cupel/kit/http-edge'

/** Nothing is loaded from anywhere else, nothing is framed, and no text becomes script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const webHeaders = {
  ...securityHeaders,
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const
