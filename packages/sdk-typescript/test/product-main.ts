/**
 * A new customer's steps with the installed package, on any runtime: screens, waits for a job, and verifies the webhook that
 * arrived. It also runs the cases that every SDK passes on a running product. Prints one line of JSON.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { ProductCase } from '@cupel/sdk-conformance'
import * as sdk from '@cupel/sdk'
import { runProductCase, type Product } from './run-product-case.js'

const { product, cases, name } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  product: Product
  cases: ProductCase[]
  name: string
}
// Key and URL come from the environment, as README shows.
const cupel = new sdk.Cupel()
const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

const report = await cupel.screen(ADDRESS)
const endpoint = await cupel.webhookEndpoints.create({ url: `${product.receiver}/${name}` })
const submitted = await cupel.bulk.submit([ADDRESS, 'nonsense'])
const job = await cupel.bulk.wait(submitted)
const { body, headers } = await received()
const message = await sdk.webhooks.verify(body, headers, endpoint.secret!)
const forged = await sdk.webhooks
  .verify(`${body} `, headers, endpoint.secret!)
  .catch((error: Error) => error.name)
await cupel.webhookEndpoints.delete(endpoint.endpoint_id)
const faults: string[] = []
for (const one of cases)
  for (const fault of await runProductCase(sdk, product, one)) faults.push(`${one.name}: ${fault}`)
const told = 'job_id' in message.data && message.data.job_id === job.job_id ? message.type : 'another job'
const line = { level: report.risk.level, status: job.status, told, forged, ran: cases.length, faults }
process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0))

/** The receiver answers when the message of this runtime has arrived. */
async function received(): Promise<{ body: string; headers: Record<string, string> }> {
  const answer = await fetch(`${product.receiver}/received/${name}`)
  return (await answer.json()) as { body: string; headers: Record<string, string> }
}
