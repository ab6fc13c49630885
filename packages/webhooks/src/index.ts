export { webhooksMigrations } from './migrations.js'
export { newWebhookSecret, signWebhook, WEBHOOK_USER_AGENT } from './signing/signature.js'
export { createSecretBox, type SecretBox } from './secret-box.js'
export {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  type Actor,
  type EndpointRefusal,
  type EndpointStore,
  type Owner,
  type WebhookEndpoint,
} from './endpoints.js'
export { rotateEndpointSecret } from './rotate-secret.js'
export { getDelivery, type SentDelivery } from './sent-delivery.js'
export {
  listDeliveries,
  redeliver,
  redeliverRange,
  sendTest,
  type RedeliverResult,
  type WebhookDelivery,
} from './deliveries.js'
export { testUnproven } from './endpoint-tests.js'
export {
  insertDeliveries,
  listMissingBodies,
  storeBody,
  type JobEnd,
  type MissingBody,
} from './new-deliveries.js'
export {
  insertChangeDeliveries,
  insertDigestDeliveries,
  insertFailureDeliveries,
  insertTransferDeliveries,
  type ReportChange,
  type ToldDigest,
  type ToldFailure,
  type ToldTransfer,
} from './watch-deliveries.js'
export { forgetDestinations, takeDestinationTokens } from './destinations.js'
export {
  accountOfBody,
  claimDeliveries,
  loadBody,
  releaseClaims,
  renewClaims,
  type ClaimedDelivery,
} from './claims.js'
export { endUnsettledDeliveries, replayDeliveryEnd } from './replay-webhooks.js'
export { webhooksTables } from './primary-tables.js'
export { readMailto } from './mail-address.js'
export {
  confirmRecipient,
  createMailLinks,
  findMailLink,
  MAIL_TOKEN,
  readMailState,
  unsubscribeRecipient,
  type MailLinks,
  type MailPurpose,
} from './mail-recipients.js'
export { recipientOf } from './mailto.js'
export { recordAttempts, type AttemptRecord } from './outcomes.js'
export { deliveryBacklog, exhaustOverdue, forgetOldDeliveries } from './upkeep.js'
