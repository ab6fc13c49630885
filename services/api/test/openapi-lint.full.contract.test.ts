/** Two independent linters accept the description; every warning counts as a fault. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import { Json as JsonParser } from '@stoplight/spectral-parsers'
import { oas } from '@stoplight/spectral-rulesets'
import { describe, expect, test } from 'vitest'
import { openapiDocument } from '../src/openapi-document.js'

const { Document, Spectral } = spectralCore

async function redoclyFaults(text: string): Promise<string[]> {
  const problems = await lintFromString({
    source: text,
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended-strict'] }),
  })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
  )
}

/** The linter runs every rule except these. */
const NOT_ASKED = {
  // OpenAPI 3.1 forbids a URL beside the SPDX identifier.
  'license-url': 'off',
  // Tags stand in reading order.
  'openapi-tags-alphabetical': 'off',
  // Each installation has its own operator; the product has no contact address.
  'contact-properties': 'off',
} as const

async function spectralFaults(text: string): Promise<string[]> {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas as never, 'all']], rules: NOT_ASKED })
  const problems = await spectral.run(new Document(text, JsonParser as never, 'openapi.json'))
  return problems.map(({ code, path, message }) => `${code} /${path.join('/')}: ${message}`)
}

const linters = { redocly: redoclyFaults, spectral: spectralFaults }

describe.each(Object.entries(linters))('%s', (_name, faultsIn) => {
  test('finds nothing in the description', async () => {
    expect(await faultsIn(openapiDocument())).toEqual([])
  })

  test('finds an example that does not fit, and an operation without a name', async () => {
    const whole = JSON.parse(openapiDocument()) as {
      paths: Record<string, Record<string, { operationId?: string; requestBody?: never }>>
    }
    // One path is enough to show that the linter works.
    const broken = { ...whole, paths: { '/v1/screen': whole.paths['/v1/screen']! } }
    const post = broken.paths['/v1/screen']!['post']!
    delete post.operationId
    ;(post as { requestBody: { content: Record<string, { example: unknown }> } }).requestBody.content[
      'application/json'
    ]!.example = { address: 7 }
    const faults = await faultsIn(JSON.stringify(broken))
    expect(faults.filter((fault) => /operation-?id/i.test(fault))).not.toEqual([])
    expect(faults.filter((fault) => /example/i.test(fault))).not.toEqual([])
  })
})
