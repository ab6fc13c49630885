/**
 * One attempt to send a message by e-mail. Its Message-ID is that of the delivery, so that a repeat after a lost answer can be told. Neither a log
 * nor an event nor a kept reply has the address of the recipient.
 */
import { createHash } from 'node:crypto'
import { decideAttempt, mailParts, readMailMessage } from '@cupel/domain'
import type { MailClient, MailResult } from './mail-client.js'
import { ERASED, maySeal, type PersonalData } from '@cupel/personal-data'
import { readMailto, recipientOf, type ClaimedDelivery, type MailLinks } from '../index.js'
import type { Attempted, NotAttempted } from './attempted.js'

export interface MailSending {
  /** Null if the operator set no mail server: messages of earlier times wait. */
  readonly client: Pick<MailClient, 'send'> | null
  readonly from: string
  readonly links: MailLinks
  /** The URL of the page of a link, before its token. */
  readonly linkUrl: () => string
  readonly personalData: Pick<PersonalData, 'openText'>
  /** Takes a token of each named limit; resolves to how long the message has to wait, in milliseconds. */
  readonly take: (limit: 'account' | 'confirmation', name: string) => Promise<number>
}

/** Makes no attempt where the account or the recipient has as many messages as it may have. Rejects if limits or keys cannot be read. */
export async function attemptMail(
  sending: MailSending,
  delivery: ClaimedDelivery,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Attempted | NotAttempted> {
  const { client, from, links, linkUrl, personalData } = sending
  const at = new Date()
  const attempted = { delivery, trace: undefined, attemptedAt: at.toISOString(), signature: null }
  const failed = (error: string, durationMs = 0): Attempted => ({
    ...{ ...attempted, statusCode: null, error, durationMs, responseExcerpt: null },
    decision: decisionOf(delivery, { statusCode: null }),
  })
  if (client === null) return failed('no_mail_server')
  const sealed = recipientOf(delivery.url) ?? ''
  const to = await personalData.openText(sealed, delivery.accountId)
  // A text that stays sealed, or was erased, is no address.
  if (maySeal(to) || to === ERASED || readMailto(`mailto:${to}`) !== to) return failed('recipient_unreadable')
  const message = readMailMessage(Buffer.from(body).toString('utf8'))
  const isConfirmation = message.paragraphs.some((one) => one.isConfirmation === true)
  // The message is of an address that the endpoint had before, whose confirmation does not count for this one.
  if (!delivery.isProven && !isConfirmation)
    return { ...failed('recipient_unconfirmed'), decision: decisionOf(delivery, REFUSED) }
  const wait = await waitOf(sending, delivery, isConfirmation ? to : null)
  if (wait !== null) return wait
  const urlOf = (purpose: 'confirm' | 'unsubscribe'): string =>
    linkUrl() + links.tokenOf(purpose, delivery, at.getTime())
  const unsubscribeUrl = isConfirmation ? null : urlOf('unsubscribe')
  const result = await client.send(
    {
      messageId: `<${delivery.webhookId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      ...{ from, to, ...mailParts(message, { confirmUrl: urlOf('confirm'), unsubscribeUrl }) },
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl === null
          ? {}
          : {
              'List-Unsubscribe': `<${unsubscribeUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
      },
    },
    { signal, owner: delivery.accountId },
  )
  if (result.kind === 'failed')
    return result.error === 'stopped' ? { waitMs: 0 } : failed(result.error, result.durationMs)
  return {
    ...{ ...attempted, statusCode: result.code, error: null, durationMs: result.durationMs },
    responseExcerpt: withoutAddress(result.reply, to),
    decision: decisionOf(delivery, { statusCode: result.code, isRefused: isRefusal(result) }),
  }
}

const isRefusal = ({ isFinal }: Extract<MailResult, { kind: 'answered' }>): boolean => isFinal

/**
 * The limit of the account; for a message to somebody who has not agreed yet, then that of the recipient, over all accounts: an account that waits
 * takes no question of others. Null if the message may be sent.
 */
async function waitOf(
  { take }: MailSending,
  { accountId }: ClaimedDelivery,
  stranger: string | null,
): Promise<NotAttempted | null> {
  const ofAccountMs = await take('account', accountId)
  if (ofAccountMs > 0) return { waitMs: ofAccountMs }
  if (stranger === null) return null
  const name = createHash('sha256').update(mailboxOf(stranger)).digest('base64url')
  const ofRecipientMs = await take('confirmation', name)
  return ofRecipientMs > 0 ? { waitMs: ofRecipientMs, isOnlyDelivery: true } : null
}

/** Capitals and what follows a plus sign lead to the same person. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/\+[^@]*(?=@)/, '')

const REFUSED = { statusCode: null, isRefused: true }

function decisionOf(
  { attempts }: ClaimedDelivery,
  outcome: { readonly statusCode: number | null; readonly isRefused?: boolean },
): Attempted['decision'] {
  return decideAttempt({ ...outcome, retryAfterMs: null }, { attempts: attempts + 1, lot: Math.random() })
}

/** Mail servers repeat the address in their replies. */
function withoutAddress(reply: string, address: string): string {
  const [local = ''] = address.split('@')
  const hidden = [address, ...(local.length > 2 ? [local] : [])]
  return hidden.reduce(
    (text, one) => text.replaceAll(new RegExp(one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), '…'),
    reply,
  )
}
