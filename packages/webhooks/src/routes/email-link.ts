/**
 * GET and POST /v1/email/{link}: the links of e-mail. GET shows a button and changes nothing, because programs that examine mail follow links;
 * POST does what the button says, also for programs of mail (RFC 8058).
 */
import { confirmRecipient, findMailLink, MAIL_TOKEN, unsubscribeRecipient } from '../index.js'
import { z } from 'zod'
import { tokenCallOf } from '@cupel/gate/audit'
import {
  recorded,
  tokenEndpoint,
  type Answer,
  type Endpoint,
  statuses,
  contentSecurityPolicy,
} from '@cupel/gate/http'
import { renderEmailPage, type EmailPage } from './email-page.js'
import type { WebhookParts } from './endpoint-description.js'

const emailPath = z.object({ link: z.string().regex(MAIL_TOKEN).describe('The token of the link.') })
type EmailPath = z.infer<typeof emailPath>

const EXAMPLE_TOKEN = `u-0a1b2c3d4e5f60718293-0-${'A'.repeat(43)}`
const headers = {
  'Cache-Control': { description: 'The page belongs to one link.', schema: z.string(), example: 'no-store' },
  'Content-Security-Policy': {
    description: 'The page loads and runs nothing.',
    schema: z.string(),
    example: contentSecurityPolicy,
  },
  'X-Robots-Tag': {
    description: 'No search engine is to show it.',
    schema: z.string(),
    example: 'noindex, nofollow',
  },
}
const page = (description: string) => [
  {
    ...{ status: statuses.ok, description, contentType: 'text/html; charset=utf-8', headers },
    ...{ schema: z.string(), example: '<!doctype html>' },
  },
]
const described = {
  path: '/v1/email/{link}',
  tag: 'Webhook endpoints',
  access: 'token',
  pathSchema: emailPath,
} as const

export function showEmailLink({ store, mailLinks }: WebhookParts): Endpoint {
  return tokenEndpoint<EmailPath>({
    ...described,
    operationId: 'showEmailLink',
    method: 'GET',
    summary: 'Show what a link of an e-mail does',
    description: `A page with a button, without a key; it changes nothing. A link that was not made here, or whose seven days have passed, is 404, and counts as a failed authentication of its client. A token is like \`${EXAMPLE_TOKEN}\`.`,
    answers: page('The page.'),
    problems: ['not_found', 'unavailable'],
    async handle(_call, { path }) {
      const link = await findMailLink(store.database, mailLinks, path.link)
      return link === null ? null : pageAnswer(link.purpose)
    },
  })
}

export function useEmailLink({ store, mailLinks, personalData }: WebhookParts): Endpoint {
  return tokenEndpoint<EmailPath>({
    ...described,
    operationId: 'useEmailLink',
    method: 'POST',
    summary: 'Confirm or end messages by e-mail',
    description:
      'Does what the link is for, without a key and whatever the body is: confirms the recipient, or ends all messages to it. A repeat changes nothing. Programs of mail send this call for their button to unsubscribe (RFC 8058).',
    answers: page('It is done; the page says so.'),
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const link = await findMailLink(store.database, mailLinks, path.link)
      if (link === null) return null
      const seal = await personalData.of(link.endpoint.accountId)
      const clientAddress = seal.sealClientAddress(call.clientAddress)
      const apiCall = tokenCallOf({ ...call, clientAddress }, statuses.ok)
      if (link.purpose === 'unsubscribe') {
        await unsubscribeRecipient(store.database, link.endpoint, apiCall)
        return recorded(pageAnswer('unsubscribed'))
      }
      const isConfirmed = await confirmRecipient(store.database, link.endpoint, apiCall)
      return recorded(pageAnswer(isConfirmed ? 'confirmed' : 'ended'))
    },
  })
}

function pageAnswer(shown: EmailPage): Answer {
  return {
    status: statuses.ok,
    contentType: 'text/html; charset=utf-8',
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, { example }]) => [name.toLowerCase(), example]),
    ),
    body: renderEmailPage(shown),
  }
}
