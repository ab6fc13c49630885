/** GET /v1/people: who is signed in, and what the groups of the sign-in service may do. */
import { instant } from '@cupel/contracts'
import { listSignedIn, signInKeys } from '../../access/index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/index.js'
import type { OidcSettings } from '@cupel/kit/oidc'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'

export interface PeopleParts {
  readonly database: Database
  readonly personalData: PersonalData
  /** Groups of the sign-in service with the id of the key that their people act with; null if nobody signs in with a service. */
  readonly groups: OidcSettings['groups'] | null
}

/** Sessions that an answer names, the last used first. */
const MAX_PEOPLE = 500

const roleFields = {
  key_id: z.string().describe('The key that they act with.'),
  account_id: z.string(),
  livemode: z.boolean(),
  scope: z.string().describe('Their rights; each scope holds those before it.'),
}

const peopleComponent = z
  .object({
    has_sign_in_service: z.boolean(),
    groups: z
      .array(
        z
          .object({
            group: z.string(),
            acts_with: z
              .object(roleFields)
              .meta({ id: 'PeopleRole' })
              .nullable()
              .describe(
                'Null if the key that the settings name does not work: then nobody of the group signs in.',
              ),
          })
          .meta({ id: 'PeopleGroup' }),
      )
      .describe('Groups of the sign-in service, as the settings map them to keys.'),
    signed_in: z
      .array(
        z
          .object({ person: z.string(), ...roleFields, begun_at: instant, used_at: instant })
          .meta({ id: 'SignedInPerson' }),
      )
      .describe(`Persons with a session, the last used first, at most ${MAX_PEOPLE}.`),
  })
  .meta({ id: 'People' })

const role = {
  ...{ key_id: '8f2k1m0a', account_id: 'acc_5f1c0a2b9d3e4f60718a', livemode: true, scope: 'read-write' },
}

export function listPeople({ database, personalData, groups }: PeopleParts): Endpoint {
  return keyedEndpoint({
    operationId: 'getPeople',
    method: 'GET',
    path: '/v1/people',
    tag: 'Accounts',
    summary: 'See who signs in',
    description:
      'The groups of the sign-in service with what their people may do, and who is signed in now. The audit log has who did what. For operators.',
    access: 'operator',
    answers: [
      {
        status: 200,
        description: 'Groups and people.',
        contentType: 'application/json',
        schema: peopleComponent,
        example: {
          has_sign_in_service: true,
          groups: [{ group: 'compliance', acts_with: role }],
          signed_in: [
            {
              ...{ person: 'Ann Example (248289761001)', ...role },
              ...{ begun_at: '2026-11-21T09:00:00.000Z', used_at: '2026-11-21T10:00:00.000Z' },
            },
          ],
        },
      },
    ],
    problems: ['unavailable'],
    async handle() {
      const mapped: z.infer<typeof peopleComponent>['groups'] = []
      for (const [group, keyId] of groups ?? []) {
        const [key] = await signInKeys(database, [keyId])
        mapped.push({ group, acts_with: key === undefined ? null : roleOf(key) })
      }
      const people = await listSignedIn(database, { limit: MAX_PEOPLE })
      const signedIn = await Promise.all(
        people.map(async (one) => ({
          ...{ person: await personalData.openText(one.actor, one.accountId), ...roleOf(one) },
          ...{ begun_at: one.begunAt, used_at: one.usedAt },
        })),
      )
      const document = { has_sign_in_service: groups !== null, groups: mapped, signed_in: signedIn }
      return jsonAnswer(200, JSON.stringify(document))
    },
  })
}

interface Acting {
  readonly keyId: string
  readonly accountId: string
  readonly environment: string
  readonly scope: string
}

const roleOf = ({ keyId, accountId, environment, scope }: Acting) => ({
  ...{ key_id: keyId, account_id: accountId, livemode: environment === 'live', scope },
})
