// A webhook receiver on Fastify: CUPEL_WEBHOOK_SECRET=whsec_… PORT=3000 node fastify-receiver.mjs
import Fastify from 'fastify'
import { webhooks, WebhookVerificationError } from '@cupel/sdk'
import { takeMessage } from './take-message.mjs'

const app = Fastify({ bodyLimit: 16 * 1024 * 1024 })

// The body as it came: a parsed body cannot be verified.
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

app.post('/cupel', async (request, reply) => {
  try {
    takeMessage(await webhooks.verify(request.body, request.headers, process.env.CUPEL_WEBHOOK_SECRET))
    return reply.code(204).send()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return reply.code(400).send()
  }
})

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${app.server.address().port}`)
