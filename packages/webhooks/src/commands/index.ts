export { registerListen } from './listen/register.js'
export { registerWebhooks } from './webhooks/register.js'
