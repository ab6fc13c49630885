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
  refuse,
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

/** Uses of one link a minute by its page and its button together: whoever has it needs no key, and no other limit holds for it. */
export const MAX_USES_PER_MINUTE = 60
const MINUTE_MS = 60_000
const SECOND_MS = 1_000

export interface LinkUses {
  /** Counts a use of a link that opens something. Whole seconds until the next one; null if this one may be made. */
  waitSeconds(token: string): number | null
}

export function createLinkUses(now: () => number = () => performance.now()): LinkUses {
  /** The minute of each link that was used, in the order in which they began. */
  const minutes = new Map<string, { readonly beganMs: number; uses: number }>()
  return {
    waitSeconds(token) {
      for (const [name, { beganMs }] of minutes) {
        if (now() - beganMs < MINUTE_MS) break
        minutes.delete(name)
      }
      const minute = minutes.get(token) ?? { beganMs: now(), uses: 0 }
      minutes.set(token, minute)
      minute.uses += 1
      return minute.uses > MAX_USES_PER_MINUTE
        ? Math.max(1, Math.ceil((minute.beganMs + MINUTE_MS - now()) / SECOND_MS))
        : null
    },
  }
}

const tooOften = (retryAfterSeconds: number) =>
  refuse('rate_limited', 'The link was used too often within a minute.', { retryAfterSeconds })

export function showEmailLink({ store, mailLinks }: WebhookParts, uses: LinkUses): Endpoint {
  return tokenEndpoint<EmailPath>({
    ...described,
    operationId: 'showEmailLink',
    method: 'GET',
    summary: 'Show what a link of an e-mail does',
    description: `A page with a button, without a key; it changes nothing. A link that was not made here, or whose seven days have passed, is 404, and counts as a failed authentication of its client. A link is used at most ${MAX_USES_PER_MINUTE} times a minute. A token is like \`${EXAMPLE_TOKEN}\`.`,
    answers: page('The page.'),
    problems: ['not_found', 'rate_limited', 'unavailable'],
    async handle(_call, { path }) {
      const link = await findMailLink(store.database, mailLinks, path.link)
      if (link === null) return null
      const waitSeconds = uses.waitSeconds(path.link)
      return waitSeconds === null ? pageAnswer(link.purpose) : tooOften(waitSeconds)
    },
  })
}

export function useEmailLink({ store, mailLinks, personalData }: WebhookParts, uses: LinkUses): Endpoint {
  return tokenEndpoint<EmailPath>({
    ...described,
    operationId: 'useEmailLink',
    method: 'POST',
    summary: 'Confirm or end messages by e-mail',
    description:
      'Does what the link is for, without a key and whatever the body is: confirms the recipient, or ends all messages to it. A repeat changes nothing. Programs of mail send this call for their button to unsubscribe (RFC 8058).',
    answers: page('It is done; the page says so.'),
    problems: ['not_found', 'rate_limited', 'unavailable'],
    async handle(call, { path }) {
      const link = await findMailLink(store.database, mailLinks, path.link)
      if (link === null) return null
      const waitSeconds = uses.waitSeconds(path.link)
      if (waitSeconds !== null) return tooOften(waitSeconds)
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
