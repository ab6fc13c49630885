/** The API as a Postman collection (v2.1): a folder for each object, and the address and the key as variables. */
import { entriesOf, type Description, type Entry } from './description.js'

/** `description` is an OpenAPI document as `describeApi` makes it. */
export function postmanCollection(description: object): object {
  const document = description as Description
  const entries = entriesOf(document)
  return {
    info: {
      name: `${document.info.title} API ${document.info.version}`,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:8080' },
      { key: 'api_key', value: '' },
    ],
    item: document.tags.flatMap(({ name, description: about }) => {
      const own = entries.filter(({ operation }) => operation.tags.includes(name))
      return own.length === 0 ? [] : [{ name, description: about, item: own.map(requestOf) }]
    }),
  }
}

function requestOf({ method, path, operation }: Entry): object {
  const { summary, description, security, parameters = [], requestBody } = operation
  const own = parameters.filter((one) => one.name !== undefined)
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'))
  const listed = (place: string) =>
    own
      .filter((one) => one.in === place)
      .map(({ name, required, description: about = '' }) => ({
        ...{ key: name, value: '', description: about },
        ...(required === true ? {} : { disabled: true }),
      }))
  const example = requestBody?.content['application/json']?.example
  const query = listed('query')
  const variable = listed('path')
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      ...(security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: [
        ...listed('header'),
        ...(example === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      url: {
        raw: `{{base_url}}/${segments.join('/')}`,
        host: ['{{base_url}}'],
        path: segments,
        ...(query.length === 0 ? {} : { query }),
        ...(variable.length === 0 ? {} : { variable }),
      },
      ...(example === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: JSON.stringify(example, null, 2),
              options: { raw: { language: 'json' } },
            },
          }),
    },
  }
}
