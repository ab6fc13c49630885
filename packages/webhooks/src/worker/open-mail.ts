/** What the dispatcher needs for e-mail, from the settings. */
import { readFileSync } from 'node:fs'
import type { Logger } from '@cupel/contracts'
import type { MailStyle } from '@cupel/domain'
import { createMailClient, type MailClient } from './mail-client.js'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { ConfigError, type Config } from '@cupel/kit/service'
import { createMailLinks, takeDestinationTokens } from '../index.js'
import type { MailSending } from './attempt-mail.js'

export type MailConfig = Pick<
  Config,
  | 'CUPEL_MAIL_HOST'
  | 'CUPEL_MAIL_PORT'
  | 'CUPEL_MAIL_USER'
  | 'CUPEL_MAIL_PASSWORD'
  | 'CUPEL_MAIL_FROM'
  | 'CUPEL_MAIL_TLS_CA_FILE'
  | 'CUPEL_MAIL_INSECURE'
  | 'CUPEL_MAIL_ADDRESS_IN_SUBJECT'
  | 'CUPEL_MAIL_PER_HOUR'
  | 'CUPEL_REPORT_PAGE_URL'
  | 'CUPEL_WEB_URL'
>

/** Null if the settings name no mail server. Throws if they name a user without a password: only the programs that send need it. */
export function mailClientOf(config: MailConfig, timeoutMs?: number): MailClient | null {
  const { CUPEL_MAIL_HOST: host, CUPEL_MAIL_USER: user, CUPEL_MAIL_PASSWORD: password } = config
  if (host === undefined) return null
  if (user !== undefined && password === undefined)
    throw new ConfigError('CUPEL_MAIL_PASSWORD is required where CUPEL_MAIL_USER is set.')
  const { CUPEL_MAIL_TLS_CA_FILE: caFile } = config
  return createMailClient(
    {
      ...{ host, port: config.CUPEL_MAIL_PORT, isInsecure: config.CUPEL_MAIL_INSECURE },
      signIn: user === undefined || password === undefined ? null : { user, password },
      ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }),
    },
    timeoutMs === undefined ? {} : { timeoutMs },
  )
}

const HOUR_S = 3_600
/** Messages that ask one address for its confirmation, over all accounts: three, then one a day. */
const CONFIRMATIONS = { perSecond: 1 / (24 * HOUR_S), burst: 3 }

export function openMail({
  config,
  database,
  personalData,
  installationKey,
  baseUrl,
  logger,
  timeoutMs,
}: {
  readonly config: MailConfig
  readonly database: Database
  readonly personalData: PersonalData
  readonly installationKey: Uint8Array
  readonly baseUrl: () => string
  readonly logger: Logger
  readonly timeoutMs?: number | undefined
}): MailSending {
  if (config.CUPEL_MAIL_INSECURE) logger.warn({}, 'E-mail may be sent without verified TLS')
  const perHour = config.CUPEL_MAIL_PER_HOUR
  const limits = {
    account: { perSecond: perHour / HOUR_S, burst: perHour },
    confirmation: CONFIRMATIONS,
  }
  return {
    client: mailClientOf(config, timeoutMs),
    from: config.CUPEL_MAIL_FROM ?? '',
    links: createMailLinks(installationKey),
    linkUrl: () => `${baseUrl()}/v1/email/`,
    personalData,
    async take(limit, name) {
      const [waitMs = 0] = await takeDestinationTokens(database, limits[limit], [[`mail ${limit} ${name}`]])
      return waitMs
    },
  }
}

/** What the texts of messages need. `webUrl`: of a console that the composer started. */
export function mailStyleOf(
  config: MailConfig,
  { baseUrl, webUrl }: { readonly baseUrl: () => string; readonly webUrl: () => string | null },
): () => MailStyle {
  return () => {
    const consoleUrl = (config.CUPEL_WEB_URL ?? webUrl())?.replace(/\/$/, '') ?? null
    return {
      reportPageUrl: config.CUPEL_REPORT_PAGE_URL ?? `${consoleUrl ?? baseUrl()}/reports/`,
      consoleUrl,
      isAddressInSubject: config.CUPEL_MAIL_ADDRESS_IN_SUBJECT,
    }
  }
}
