/** Webhook endpoints and their deliveries. */
import type { Page } from '@cupel/console'
import {
  changeEndpoint,
  deleteEndpoint,
  redeliver,
  redeliverRange,
  rotateSecret,
  sendTest,
} from './change-endpoint.js'
import { createEndpoint } from './create-endpoint.js'
import { listEndpoints } from './list-endpoints.js'
import { showDelivery } from './show-delivery.js'
import { showEndpoint } from './show-endpoint.js'
import { endpointSecret } from './show-secret.js'

export const webhookPages: readonly Page[] = [
  ...[listEndpoints, createEndpoint, showEndpoint, endpointSecret, changeEndpoint, rotateSecret, sendTest],
  ...[showDelivery, deleteEndpoint, redeliverRange, redeliver],
]
