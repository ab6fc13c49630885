/** The service with TLS: its address begins with https, and a screen succeeds. */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate, until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { ADDRESS } from './http-client.js'
import { startInstallation } from './installation.js'

test('with a certificate and its key configured the whole API speaks HTTPS, and takes a renewed pair without a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-tls-'))
  const [certFile, keyFile] = [join(folder, 'api.crt'), join(folder, 'api.key')]
  const order = { certFile, keyFile, names: 'IP:127.0.0.1' }
  const { cert } = makeCertificate(order)
  const installation = await startInstallation()
  try {
    const config = { CUPEL_TLS_CERT_FILE: certFile, CUPEL_TLS_KEY_FILE: keyFile }
    const { url, baseUrl } = await installation.api({ config })
    const { key } = await installation.key()
    expect([url, baseUrl]).toEqual([expect.stringMatching(/^https:\/\//), url])
    const reply = await screenOverTls(`${url}/v1/screen`, key, cert)
    expect(reply).toMatchObject({ status: 200, hsts: 'max-age=31536000' })
    await expect(fetch(`${url.replace('https', 'http')}/healthz`)).rejects.toThrow()
    const { cert: renewed } = makeCertificate(order)
    await until(async () =>
      expect(await screenOverTls(`${url}/v1/screen`, key, renewed)).toMatchObject({ status: 200 }),
    )
  } finally {
    await installation.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

function screenOverTls(url: string, key: string, ca: string) {
  return new Promise<{ status: number; hsts: unknown }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    request(url, { method: 'POST', ca, headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () =>
        resolve({ status: response.statusCode!, hsts: response.headers['strict-transport-security'] }),
      )
    })
      .on('error', reject)
      .end(JSON.stringify({ address: ADDRESS }))
  })
}
