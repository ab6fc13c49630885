export { newWebhookSecret, signWebhook, verifyWebhook, WEBHOOK_TOLERANCE_SECONDS } from './signature.js'
export type { SignedMessage, Verification, WebhookHeaders } from './signature.js'
