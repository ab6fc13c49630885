import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formats } from './list-import.js'

interface ApiDescription {
  readonly components: {
    readonly schemas: {
      readonly NewListImportRequest: { readonly properties: { readonly format: { readonly enum: string[] } } }
    }
  }
}

test('the form offers each layout that the API takes', () => {
  const file = new URL('../../../../../docs/reference/openapi.json', import.meta.url)
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as ApiDescription
  const { format } = components.schemas.NewListImportRequest.properties
  expect(Object.keys(formats).sort()).toEqual(format.enum.sort())
})
