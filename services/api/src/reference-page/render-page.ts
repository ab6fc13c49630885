/** The reference page: the API description for people, rendered on the server, without scripts or requests. */
import { commonHeaderNames } from '../http/described-headers.js'
import { inlineReferences } from '../http/inline-references.js'
import { inline, markup, prose, type Html } from './markup.js'
import { style } from './style.js'

type Json = Readonly<Record<string, unknown>>

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}
interface Schema extends Json {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
}
interface Header {
  readonly $ref?: string
  readonly description?: string
}
interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}
interface Description {
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
  }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Header>>
  }
}

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** A whole HTML document. `description` is an OpenAPI document as `describeApi` makes it. */
export function renderReferencePage(description: object): string {
  const document = inlineReferences(description as Description, ['responses', 'parameters', 'examples'])
  const { info, tags, components } = document
  const entries: readonly Entry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const ofTag = (name: string) => entries.filter(({ operation }) => operation.tags.includes(name))
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API ${info.version}</title>
        <style>${{ html: style }}</style>
      </head>
      <body>
        <a class="skip" href="#content">To the content</a>
        <nav aria-label="Contents">
          <a href="#content"><b>${info.title} API</b></a> <span class="faint">${info.version}</span>
          ${tags.map(
            ({ name }) =>
              markup`<strong>${name}</strong>
                <ul>
                  ${ofTag(name).map(linkTo)}
                </ul>`,
          )}
          <strong>Schemas</strong>
          <ul>
            ${Object.keys(components.schemas).map((name) => markup`<li><a href="#schema-${name}">${name}</a></li>`)}
          </ul>
        </nav>
        <main id="content">
          <h1>${info.title} API</h1>
          <p class="faint">
            ${info.summary}. Version ${info.version}. <a href="/openapi.json">OpenAPI document</a>
          </p>
          ${prose(info.description)}
          ${tags.map(
            ({ name, description: text }) =>
              markup`<h2>${name}</h2>
                ${prose(text)}${ofTag(name).map((entry) => section(entry, document))}`,
          )}
          <h2>Schemas</h2>
          ${Object.entries(components.schemas).map(
            ([name, schema]) =>
              markup`<section>
                <h3 id="schema-${name}">${name}</h3>
                ${members(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html>
`.html
}

function linkTo({ operation }: Entry): Html {
  return markup`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`
}

function section({ method, path, operation }: Entry, document: Description): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const access = security?.length === 0 ? 'no key needed' : 'API key'
  return markup`<section>
    <h3 id="${operationId}">${summary}</h3>
    <div class="path">
      <span class="${method}">${method.toUpperCase()}</span> <span>${path}</span>
      <span class="key">${access}</span>
    </div>
    ${prose(description)}
    ${
      parameters.length === 0
        ? []
        : markup`<h4>Parameters</h4>
            ${parameterTable(parameters)}`
    }
    ${Object.entries(requestBody?.content ?? {}).map(
      ([type, media]) =>
        markup`<h4>Body, ${type}</h4>
          ${members(dereferenced(media.schema ?? {}, document))}${sample(media.example)}`,
    )}
    <h4>Answers</h4>
    ${Object.entries(responses).map(([status, response]) => answer(status, response, document))}
  </section>`
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): Html {
  return markup`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">In</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(
          (one) =>
            markup`<tr>
              <td><code>${one.name}</code>${one.required === true ? MUST : []}</td>
              <td>${one.in}</td>
              <td>${typeOf(one.schema)}</td>
              <td>${inline(one.description ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const MUST = markup` <span class="must">required</span>`

function answer(status: string, response: Response, document: Description): Html {
  // The headers of every answer are described once, in the introduction.
  const own = Object.entries(response.headers ?? {}).filter(
    ([name, header]) => header.$ref === undefined || !commonHeaderNames.includes(name),
  )
  const headers = own.map(([name, header]) => {
    const known =
      header.$ref === undefined ? header : document.components.headers[header.$ref.split('/').at(-1)!]
    return markup`<tr>
      <td><code>${name}</code></td>
      <td>${inline(known?.description ?? '')}</td>
    </tr>`
  })
  const headerTable =
    headers.length === 0
      ? []
      : markup`<h4>Headers</h4>
          <div class="scroll">
            <table>
              <tbody>
                ${headers}
              </tbody>
            </table>
          </div>`
  const content = Object.entries(response.content ?? {}).map(
    ([type, { schema, example, examples = {} }]) =>
      markup`<p>${type}${schema === undefined ? [] : markup`: ${typeOf(schema)}`}</p>
        ${sample(example)}${Object.entries(examples).map(
          ([code, { summary, value }]) =>
            markup`<p><code>${code}</code> ${summary ?? ''}</p>
              ${sample(value)}`,
        )}`,
  )
  return markup`<details>
    <summary>
      <b class="${Number(status) < 400 ? 'ok' : 'fault'}">${status}</b>${inline(response.description)}
    </summary>
    ${content}${headerTable}
  </details>`
}

function members(schema: Schema): Html {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return markup`<p>${typeOf(schema)}</p>`
  const required = new Set(schema.required ?? [])
  return markup`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${properties.map(
          ([name, member]) =>
            markup`<tr>
                <td><code>${name}</code>${required.has(name) ? MUST : []}</td>
                <td>${typeOf(member)}</td>
                <td>${inline(member.description ?? '')}</td>
              </tr>
              ${nested(name, member)}`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Members of members, one row each, named by their path. */
function nested(prefix: string, schema: Schema): readonly Html[] {
  const inner = schema.items ?? schema.anyOf?.find((branch) => branch.properties !== undefined) ?? schema
  const path = schema.items === undefined ? prefix : `${prefix}[]`
  return Object.entries(inner.properties ?? {}).map(
    ([name, member]) =>
      markup`<tr>
          <td><code>${path}.${name}</code></td>
          <td>${typeOf(member)}</td>
          <td>${inline(member.description ?? '')}</td>
        </tr>
        ${nested(`${path}.${name}`, member)}`,
  )
}

function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    return markup`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), ' or ')
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((value) => markup`<code>${String(value)}</code>`),
      ', ',
    )
  if (schema.items !== undefined) return markup`list of ${typeOf(schema.items)}`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  const limits = Object.entries(LIMITS).flatMap(([name, says]) =>
    schema[name] === undefined || schema[name] === Number.MAX_SAFE_INTEGER
      ? []
      : [`${says} ${String(schema[name])}`],
  )
  return limits.length === 0
    ? markup`${types}`
    : markup`${types} <span class="faint">(${limits.join(', ')})</span>`
}

/** The constraints of a schema besides its type, in words. */
const LIMITS = {
  format: 'as',
  minLength: 'at least',
  maxLength: 'at most',
  minimum: 'from',
  maximum: 'to',
  default: 'by default',
}

function joined(parts: readonly Html[], separator: string): Html {
  return { html: parts.map((part) => part.html).join(separator) }
}

function sample(example: unknown): Html | readonly Html[] {
  if (example === undefined) return []
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return markup`<pre tabindex="0"><code>${text}</code></pre>`
}

function dereferenced(schema: Schema, document: Description): Schema {
  if (schema.$ref === undefined) return schema
  return document.components.schemas[schema.$ref.split('/').at(-1)!] ?? schema
}
