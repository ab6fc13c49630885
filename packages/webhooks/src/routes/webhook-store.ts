/** What changes to webhook endpoints need, from the settings of a program. */
import { createJudge, parseAllowedRanges, type ResolveName } from '@cupel/kit/outbound'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { Config } from '@cupel/kit/service'
import { createSecretBox, type EndpointStore } from '../index.js'

export function webhookStoreOf({
  config,
  database,
  resolve,
  installationKey,
  personalData,
}: {
  readonly config: Pick<Config, 'CUPEL_WEBHOOK_ALLOW' | 'CUPEL_WEBHOOK_SECRETS_KEY' | 'CUPEL_MAIL_HOST'>
  readonly database: Database
  readonly resolve?: ResolveName
  readonly installationKey: Uint8Array
  readonly personalData: Pick<PersonalData, 'of'>
}): EndpointStore {
  return {
    database,
    secrets: createSecretBox({ installationKey, operatorKey: config.CUPEL_WEBHOOK_SECRETS_KEY }),
    judge: createJudge({
      allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW),
      ...(resolve === undefined ? {} : { resolve }),
    }),
    sealRecipient:
      config.CUPEL_MAIL_HOST === undefined
        ? null
        : async (accountId, address) => (await personalData.of(accountId)).seal(address),
  }
}
