/** The tables of webhooks, for everything that reads the tables of all features. */
import type { PrimaryTables, Replay } from '@cupel/projections'
import { webhooksMigrations } from './migrations.js'
import {
  forgetBodies,
  replayEndpointChange,
  replayEndpointCreation,
  replayEndpointDeletion,
} from './replay-webhooks.js'
import { statedEndpoints } from './stated-endpoints.js'

const switched = (count: number): string =>
  `${count} times a webhook endpoint is enabled or disabled again, as the log tells.`
const recipientMade = (count: number): string =>
  `${count} recipients of e-mail are made again, as the log tells of them.`
const deleted = (count: number): string =>
  `${count} webhook endpoints that were deleted after the backup are deleted again.`
const lostEndpoint = (endpointId: string, origin: string): string =>
  `The webhook endpoint ${endpointId} (${origin}) was created after the backup: create it again.`

const replay: Replay<'WebhookEndpointCreated' | 'WebhookEndpointChanged' | 'WebhookEndpointDeleted'> = {
  async WebhookEndpointCreated({ transaction, notes }, endpoint) {
    const outcome = await replayEndpointCreation(transaction, endpoint)
    if (outcome === 'made') notes.changed(recipientMade)
    if (outcome === 'lost') notes.lost(lostEndpoint(endpoint.endpointId, endpoint.origin))
  },
  async WebhookEndpointChanged({ transaction, notes }, change) {
    const moved = `The webhook endpoint ${change.endpointId} got another URL (${change.origin}) after the backup, and is disabled: set its URL again, then enable it.`
    const outcome = await replayEndpointChange(transaction, change)
    if (outcome === 'other-origin') notes.lost(moved)
    if (outcome === 'changed') notes.changed(switched)
  },
  async WebhookEndpointDeleted({ transaction, notes }, deletion) {
    for (const loss of notes.losses())
      if (loss.startsWith(`The webhook endpoint ${deletion.endpointId} `)) notes.notLost(loss)
    if (await replayEndpointDeletion(transaction, deletion)) notes.changed(deleted)
  },
}

export const webhooksTables = {
  migrations: webhooksMigrations,
  forgetAccount: forgetBodies,
  erasedTables: ['webhooks.endpoint', 'webhooks.delivery', 'webhooks.body'],
  replay,
  stated: statedEndpoints,
} as const satisfies PrimaryTables
