export { webhooksMigrations } from './migrations.js'
export { newWebhookSecret, signWebhook, WEBHOOK_USER_AGENT } from './signing/signature.js'
export { createSecretBox } from './secret-box.js'
export type { SecretBox } from './secret-box.js'
export {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
} from './endpoints.js'
export { rotateEndpointSecret } from './rotate-secret.js'
export type { Actor, EndpointRefusal, EndpointStore, Owner, WebhookEndpoint } from './endpoints.js'
export { getDelivery } from './sent-delivery.js'
export type { SentDelivery } from './sent-delivery.js'
export { listDeliveries, redeliver, redeliverRange, sendTest } from './deliveries.js'
export type { RedeliverResult, WebhookAttempt, WebhookDelivery } from './deliveries.js'
export { testUnproven } from './endpoint-tests.js'
export { insertDeliveries, listMissingBodies, storeBody } from './new-deliveries.js'
export type { JobEnd, MissingBody } from './new-deliveries.js'
export {
  insertChangeDeliveries,
  insertDigestDeliveries,
  insertFailureDeliveries,
} from './watch-deliveries.js'
export type { ReportChange, ToldDigest, ToldFailure } from './watch-deliveries.js'
export { forgetDestinations, takeDestinationTokens } from './destinations.js'
export { accountOfBody, claimDeliveries, loadBody, releaseClaims, renewClaims } from './claims.js'
export type { ClaimedDelivery, ClaimOrder, Claims } from './claims.js'
export {
  endUnsettledDeliveries,
  replayDeliveryEnd,
  replayEndpointChange,
  replayEndpointCreation,
  replayEndpointDeletion,
} from './replay-webhooks.js'
export { readMailto } from './mail-address.js'
export {
  confirmRecipient,
  createMailLinks,
  findMailLink,
  MAIL_TOKEN,
  readMailState,
  unsubscribeRecipient,
} from './mail-recipients.js'
export type { MailLinks, MailPurpose } from './mail-recipients.js'
export { recipientOf } from './mailto.js'
export { recordAttempts } from './outcomes.js'
export type { AttemptRecord } from './outcomes.js'
export { deliveryBacklog, exhaustOverdue, forgetOldDeliveries } from './upkeep.js'
