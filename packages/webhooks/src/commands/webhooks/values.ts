/** Values of options of `cupel webhooks`. */
import { chosenWebhookTypes, type WebhookType } from '@cupel/domain'
import { InvalidArgumentError } from 'commander'

export function eventTypes(text: string): WebhookType[] {
  const types = text.split(',').map((one) => one.trim())
  for (const type of types)
    if (!chosenWebhookTypes.some((one) => one === type))
      throw new InvalidArgumentError(`${type} is not one of ${chosenWebhookTypes.join(', ')}.`)
  return [...new Set(types)] as WebhookType[]
}

export function moment(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Expected a time such as 2026-11-21T09:00:00Z.')
  return at.toISOString()
}
