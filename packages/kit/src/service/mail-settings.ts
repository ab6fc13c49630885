/** Settings of e-mail: the operator's mail server, and how much is sent through it. */
import { z } from 'zod'
import { file, flag, messages, port, secretFile } from './setting-types.js'

const ADDRESS = /^[^\s@<>",;:()[\]\\]+@[A-Za-z0-9.-]+$/

export const settingsOfMail = {
  CUPEL_MAIL_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, 'expected a host name or an address')
    .optional()
    .describe(
      'Mail server (SMTP submission) through which messages are sent to recipients of e-mail (docs/email.md); it may be in a private network. Without it no e-mail is sent. The API needs it too.',
    ),
  CUPEL_MAIL_PORT: port
    .default(587)
    .describe(
      'Its port. On 465 the connection is TLS from its start, on others it changes to TLS with STARTTLS.',
    ),
  CUPEL_MAIL_USER: z
    .string()
    .min(1)
    .optional()
    .describe('User of the mail server; without one no sign-in is made.'),
  CUPEL_MAIL_PASSWORD: z.string().min(1).optional().describe('Password of that user.'),
  CUPEL_MAIL_PASSWORD_FILE: secretFile('CUPEL_MAIL_PASSWORD'),
  CUPEL_MAIL_FROM: z
    .string()
    .max(254)
    .regex(ADDRESS, 'expected an address as cupel@example.com')
    .optional()
    .describe('Address from which e-mail is sent, as cupel@example.com.'),
  CUPEL_MAIL_TLS_CA_FILE: file(
    'File with the certificate authorities of the mail server in PEM; by default those of Node.',
  ),
  CUPEL_MAIL_INSECURE: flag
    .default(false)
    .describe(
      'Send e-mail, and the password, also if the mail server offers no TLS or its certificate cannot be verified. Every start warns of it; without it nothing is sent then.',
    ),
  CUPEL_MAIL_ADDRESS_IN_SUBJECT: flag
    .default(false)
    .describe(
      'Name screened addresses in full in the subjects of e-mail; by default only by their ends, because subjects are shown on locked screens and in logs of mail servers.',
    ),
  CUPEL_MAIL_PER_HOUR: messages(100, 1_000_000).describe(
    'Messages of e-mail an hour that an account sends at most, over all its recipients and all dispatchers. Others wait; that costs no attempt.',
  ),
} as const

interface MailConfig {
  readonly CUPEL_MAIL_HOST?: string | undefined
  readonly CUPEL_MAIL_FROM?: string | undefined
  readonly CUPEL_MAIL_USER?: string | undefined
  readonly CUPEL_MAIL_PASSWORD?: string | undefined
}

export function mailFaults(config: MailConfig): string[] {
  const faults: string[] = []
  if (config.CUPEL_MAIL_HOST !== undefined && config.CUPEL_MAIL_FROM === undefined)
    faults.push('CUPEL_MAIL_FROM is required where CUPEL_MAIL_HOST is set.')
  if (config.CUPEL_MAIL_PASSWORD !== undefined && config.CUPEL_MAIL_USER === undefined)
    faults.push('CUPEL_MAIL_USER is required where CUPEL_MAIL_PASSWORD is set.')
  return faults
}
