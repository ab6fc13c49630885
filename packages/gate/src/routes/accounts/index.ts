/** GET and POST /v1/accounts: the accounts of the installation, for operators. */
import { createAccount, listAccountPage } from '../../access/index.js'
import { instant } from '@cupel/contracts'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  MAX_PAGE_SIZE,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  statuses,
  text,
} from '../../http/index.js'
import { listPeople, type PeopleParts } from './list-people.js'
import { keyAuthor, reasonField, type KeyParts } from '../keys/key-description.js'

const LIST = 'accounts'
const MAX_NAME_LENGTH = 200

const accountComponent = z
  .object({
    account_id: z.string(),
    name: z.string(),
    created_at: instant,
    working_keys: z.int().describe('Keys of both environments that are neither revoked nor expired.'),
    plans: z.array(z.string()).describe('The plans of those keys, each once.'),
    last_used_at: instant.nullable().describe('To the minute; null if none of its keys was ever used.'),
  })
  .meta({ id: 'Account' })

const accountExample = {
  account_id: 'acc_5f1c0a2b9d3e4f60718a',
  name: 'Example Exchange',
  created_at: '2026-11-21T09:00:00.000Z',
  ...{ working_keys: 2, plans: ['pro'], last_used_at: '2026-11-21T10:00:00.000Z' },
}

const accountsQuery = z.strictObject({ page_size: pageSize(MAX_PAGE_SIZE), page_token: pageToken })

const accountBody = z
  .strictObject({
    name: text(MAX_NAME_LENGTH).refine((name) => name.trim() !== '' && !/\p{Cc}/u.test(name), {
      error: 'A name has no control characters and is not blank',
    }),
    reason: reasonField.describe('Why, for the audit log.'),
  })
  .meta({ id: 'NewAccountRequest' })

export const accountEndpoints = (parts: KeyParts & PeopleParts): readonly Endpoint[] => [
  listEveryAccount(parts),
  openAccount(parts),
  listPeople(parts),
]

function listEveryAccount({ database, tokens, personalData }: KeyParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof accountsQuery>>({
    operationId: 'listAccounts',
    method: 'GET',
    path: '/v1/accounts',
    tag: 'Accounts',
    summary: 'List the accounts',
    description:
      'Every account of the installation with its keys in short, oldest first. `GET /v1/keys?account_id=` lists the keys of one. For operators.',
    access: 'operator',
    querySchema: accountsQuery,
    answers: [
      {
        status: 200,
        description: 'A page of accounts.',
        contentType: 'application/json',
        schema: pageSchema(accountComponent),
        example: { items: [accountExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(_call, { query }) {
      const position = query.page_token === undefined ? null : tokens.open([LIST], query.page_token)
      if (position === null && query.page_token !== undefined) return unknownPageToken()
      const [createdAt, accountId] = position ?? []
      const after = createdAt === undefined || accountId === undefined ? null : { createdAt, accountId }
      const { items, next } = await listAccountPage(database, { after, pageSize: query.page_size })
      const opened = await Promise.all(
        items.map(async ({ accountId, name, createdAt: at, workingKeys, plans, lastUsedAt }) => ({
          ...{ account_id: accountId, name: await personalData.openText(name, accountId), created_at: at },
          ...{ working_keys: workingKeys, plans, last_used_at: lastUsedAt },
        })),
      )
      const token = next === null ? null : tokens.seal([LIST], [next.createdAt, next.accountId])
      return jsonAnswer(200, JSON.stringify({ items: opened, next_page_token: token }))
    },
  })
}

function openAccount({ database, personalData }: KeyParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof accountBody>>({
    operationId: 'createAccount',
    method: 'POST',
    path: '/v1/accounts',
    tag: 'Accounts',
    summary: 'Open an account',
    description:
      'A customer with a live and a sandbox environment. Issue its first key with `POST /v1/keys`.',
    access: 'operator',
    bodySchema: accountBody,
    bodyExample: { name: accountExample.name, reason: 'contract 117' },
    answers: [
      {
        status: statuses.created,
        description: 'The account.',
        contentType: 'application/json',
        schema: accountComponent,
        example: { ...accountExample, working_keys: 0, plans: [], last_used_at: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call, { body }) {
      const { by } = keyAuthor(call)
      const order = { name: body.name, by, reason: body.reason ?? '', sealing: personalData }
      const { accountId, name, createdAt } = await createAccount(database, order)
      const document = {
        ...{ account_id: accountId, name, created_at: createdAt },
        ...{ working_keys: 0, plans: [], last_used_at: null },
      }
      return jsonAnswer(statuses.created, JSON.stringify(document))
    },
  })
}
