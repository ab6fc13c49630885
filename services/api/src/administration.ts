/** The parts for keys, accounts, people and lists, and the changes that may need two persons. */
import type { Config } from '@cupel/kit/service'
import type { OidcSettings } from '@cupel/kit/oidc'
import { importChange } from '@cupel/labels/routes'
import { createChangeSettler } from '@cupel/gate/routes'
import type { Logger } from '@cupel/contracts'
import { policyChange, type PolicyChangeParts } from '@cupel/policy/routes'
import type { EndpointParts } from './endpoints.js'

export type AdministrationSetting =
  | 'CUPEL_KEY_SECOND_PERSON'
  | 'CUPEL_LIST_SECOND_PERSON'
  | 'CUPEL_POLICY_SECOND_PERSON'

type Shared = Pick<EndpointParts['keys'], 'database' | 'personalData' | 'tokens'> &
  Omit<PolicyChangeParts, 'needsSecondPerson'> & {
    readonly config: Pick<Config, AdministrationSetting>
  }

/** `oidc`: null if people sign in only with a key. */
export function administrationOf(
  { config, database, log, codec, personalData, tokens }: Shared,
  oidc: OidcSettings | null,
): Pick<EndpointParts, 'keys' | 'listImports' | 'groups' | 'proposedChanges'> {
  const reading = { database, personalData, tokens }
  const listImports = { ...reading, needsSecondPerson: config.CUPEL_LIST_SECOND_PERSON }
  return {
    keys: { ...reading, needsSecondPerson: config.CUPEL_KEY_SECOND_PERSON },
    listImports,
    groups: oidc?.groups ?? null,
    proposedChanges: {
      ...{ ...reading, now: () => new Date() },
      doPeopleSignIn: oidc !== null,
      furtherKinds: [
        importChange(listImports),
        policyChange({ log, codec, needsSecondPerson: config.CUPEL_POLICY_SECOND_PERSON }),
      ],
    },
  }
}

export const changeSettlerOf = ({
  config,
  database,
  log,
  codec,
  logger,
}: Omit<Shared, 'personalData' | 'tokens'> & { readonly logger: Logger }) =>
  createChangeSettler({
    ...{ database, logger },
    kinds: [policyChange({ log, codec, needsSecondPerson: config.CUPEL_POLICY_SECOND_PERSON })],
  })
