/** Webhook endpoints in a browser: created, tested, paused, given a new secret, sent messages again, deleted. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@cupel/testkit'
import { afterAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk({
  CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
  // Nothing listens there: what is asked of recipients waits.
  ...{ CUPEL_MAIL_HOST: '127.0.0.1', CUPEL_MAIL_PORT: '1', CUPEL_MAIL_FROM: 'cupel@example.com' },
})
const receivers: Server[] = []
afterAll(async () => {
  for (const receiver of receivers) {
    receiver.closeAllConnections()
    receiver.close()
  }
  await desk.close()
})

/** Answers with text that looks like markup, as a faulty receiver may. Keeps the type of each message. */
async function startReceiver(): Promise<{ readonly url: string; readonly received: string[] }> {
  const received: string[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push((JSON.parse(Buffer.concat(chunks).toString()) as { type: string }).type)
      response.end('<script>document.title="run"</script>')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  receivers.push(receiver)
  return { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`, received }
}

desk.test('an endpoint is made, and its secret is shown once, whoever reloads', async () => {
  const { url, received } = await startReceiver()
  const page = await desk.signIn('/webhooks')
  expect(await page.getByText('There is no endpoint yet').count()).toBe(1)
  await page.getByLabel('URL').fill(url)
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  const secret = await page.locator('code.secret').innerText()
  expect(secret).toMatch(/^whsec_/)
  await desk.check(page)
  await desk.screenshot(page, 'webhook-secret')
  await page.reload()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The secret was shown once')
  expect(await page.content()).not.toContain(secret)
  const listed = await desk.api<{ items: unknown[] }>('GET', '/v1/webhook-endpoints')
  expect(listed.items).toHaveLength(1)
  await page.getByRole('link', { name: 'To the endpoint' }).click()
  expect(await page.content()).not.toContain(secret)

  await page.getByRole('button', { name: 'Send a test message' }).click()
  await until(async () => {
    await page.reload()
    expect(await page.getByText('1, last: HTTP 200').count()).toBe(2)
  })
  expect(await page.locator('main').innerText()).not.toContain('not proven')
  await page.getByText('1, last: HTTP 200').first().click()
  expect(await page.locator('.attempts').first().innerText()).toContain('<script>')
  await desk.check(page)
  await desk.screenshot(page, 'webhook-endpoint')

  await page
    .getByRole('button', { name: /^Send again msg_/ })
    .first()
    .click()
  await page.getByText('The delivery is sent again').waitFor()
  await until(() => expect(received.length).toBeGreaterThan(2))
})

desk.test('a job that ends is delivered; paused, rotated, sent again and deleted', async () => {
  const { url, received } = await startReceiver()
  const made = await desk.api<{ endpoint_id: string }>('POST', '/v1/webhook-endpoints', { url })
  const page = await desk.signIn(`/webhooks/${made.endpoint_id}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('The endpoint is paused').waitFor()
  await desk.api('POST', '/v1/bulk', { addresses: ['nonsense'] })
  await until(async () => {
    await page.goto(`/webhooks/${made.endpoint_id}?status=held`)
    expect(await page.locator('main').innerText()).toContain('bulk.completed')
  })
  await desk.check(page)
  await page.getByRole('button', { name: 'Enable' }).click()
  await until(() => expect(received).toContain('bulk.completed'))

  await page.getByText('Rotate the secret').click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  expect(await page.locator('code.secret').innerText()).toMatch(/^whsec_/)
  await page.getByRole('link', { name: 'To the endpoint' }).click()
  await page.getByText('Send again what was missed').click()
  await page.getByRole('button', { name: 'Send them again' }).click()
  await page.getByText('0 deliveries are sent again').waitFor()
  await page.getByText('Delete the endpoint').click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('The endpoint was deleted').waitFor()
  await page.goto(`/webhooks/${made.endpoint_id}`)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('There is nothing here')
})

desk.test('a refused URL is told next to the form, and a read-only session changes nothing', async () => {
  const page = await desk.signIn('/webhooks', { width: 390 })
  await page.getByLabel('URL').fill('https://10.0.0.1/hook')
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('not globally reachable')
  expect(await page.getByLabel('URL').inputValue()).toBe('https://10.0.0.1/hook')
  await desk.check(page)
  await desk.screenshot(page, 'webhook-refused-phone')

  const reader = await desk.signIn('/webhooks', { key: desk.ready.keys.read_only, colorScheme: 'dark' })
  expect(await reader.getByRole('button', { name: 'Create the endpoint' }).count()).toBe(0)
  await desk.check(reader)
  await desk.screenshot(reader, 'webhook-list-dark')
})

desk.test(
  'a recipient of e-mail is added for chosen messages, asked to confirm, and what is sent is shown',
  async () => {
    const page = await desk.signIn('/webhooks', { width: 390 })
    await page.getByLabel('URL').fill('mailto:risk@example.com')
    await page.getByLabel('A bulk job ended').uncheck()
    await page.getByLabel('A bulk job was cancelled').uncheck()
    await page.getByRole('button', { name: 'Create the endpoint' }).click()
    await page.getByText('A message asks the recipient to confirm').waitFor()
    const main = page.locator('main')
    expect(await main.innerText()).toContain('mailto:risk@example.com')
    expect(await main.innerText()).toContain(
      'A watched address changed; The daily digest of watches; A watched address cannot be screened',
    )
    expect(await main.innerText()).not.toContain('Rotate the secret')
    await until(async () => {
      await page.reload()
      expect(await main.innerText()).toContain('connect failed')
    })
    await desk.check(page)
    await desk.screenshot(page, 'webhook-recipient-phone')
    await page.getByRole('link', { name: /^endpoint\.test, as it is sent/ }).click()
    expect(await main.innerText()).toContain('Cupel: Confirm this address')
    expect(await main.innerText()).toContain('E-mail has no signature.')
    await desk.check(page)
  },
)

desk.test('a delivery shows the headers and the body that its receiver got', async () => {
  const { url, received } = await startReceiver()
  const made = await desk.api<{ endpoint_id: string }>('POST', '/v1/webhook-endpoints', { url })
  await until(() => expect(received).toContain('endpoint.test'))
  const page = await desk.signIn(`/webhooks/${made.endpoint_id}`, { colorScheme: 'dark' })
  const main = page.locator('main')
  await until(async () => {
    await page.reload()
    expect(await main.innerText()).toContain('last: HTTP 200')
  })
  await page.getByRole('link', { name: /^endpoint\.test, as it is sent/ }).click()
  expect(await main.innerText()).toMatch(/webhook-signature: v1,/)
  expect(await main.innerText()).toContain(`"endpoint_id":"${made.endpoint_id}"`)
  await desk.check(page)
  await desk.screenshot(page, 'webhook-delivery-dark')
})
