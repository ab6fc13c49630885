// A webhook receiver on Express: CUPEL_WEBHOOK_SECRET=whsec_… PORT=3000 node express-receiver.mjs
import express from 'express'
import { webhooks, WebhookVerificationError } from '@cupel/sdk'
import { takeMessage } from './take-message.mjs'

const app = express()

// The body as it came: express.json() would parse it, and a parsed body cannot be verified.
app.post('/cupel', express.raw({ type: '*/*', limit: '16mb' }), async (request, response, next) => {
  try {
    takeMessage(await webhooks.verify(request.body, request.headers, process.env.CUPEL_WEBHOOK_SECRET))
    response.status(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) return next(error)
    response.status(400).end()
  }
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
)
