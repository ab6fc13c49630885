// What a receiver does with a verified message, whatever framework brought it. A message comes at least once: keep the ids that you
// have seen. Use your database here, and write the id in one transaction with what follows from it.
const seen = new Set()

/** @param {import('@cupel/sdk').WebhookMessage} message */
export function takeMessage(message) {
  if (seen.has(message.webhook_id)) return
  seen.add(message.webhook_id)
  if (message.type === 'bulk.completed') console.log(`${message.data.job_id} is ${message.data.status}`)
}
