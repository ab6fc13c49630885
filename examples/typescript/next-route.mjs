// A webhook receiver as a Next route handler: app/cupel/route.js
import { webhooks, WebhookVerificationError } from '@cupel/sdk'
import { takeMessage } from './take-message.mjs'

/** @param {Request} request */
export async function POST(request) {
  try {
    const body = await request.arrayBuffer()
    takeMessage(await webhooks.verify(body, request.headers, process.env.CUPEL_WEBHOOK_SECRET))
    return new Response(null, { status: 204 })
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return new Response(null, { status: 400 })
  }
}
