/** The reference page: the API description for people, rendered on the server; a script runs operations against the sandbox. */
import {
  commonHeaderNames,
  inlineReferences,
  inline,
  markup,
  prose,
  type Html,
  searchForm,
  shell,
} from '../http/index.js'
import {
  entriesOf,
  type Description,
  type Entry,
  type Operation,
  type Response,
  type Schema,
} from './description.js'
import { runScript } from './run-script.js'
import { pathExamples, samplesOf } from './samples.js'

/** A whole HTML document. `description` is an OpenAPI document as `describeApi` makes it. */
export function renderReferencePage(description: object): string {
  const document = inlineReferences(description as Description, ['responses', 'parameters', 'examples'])
  const { info, tags, components } = document
  const messages = Object.entries(document.webhooks ?? {}).flatMap(([type, methods]) =>
    Object.values(methods).map((operation) => ({ method: 'post', path: type, operation })),
  )
  const entries = [...entriesOf(document), ...messages]
  const ofTag = (name: string) => entries.filter(({ operation }) => operation.tags.includes(name))
  return shell({
    script: runScript(),
    title: `${info.title} API ${info.version}`,
    nav: markup`<a href="#content"><b>${info.title} API</b></a> <span class="faint">${info.version}</span>
          ${searchForm('')}
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
          </ul>`,
    content: markup`<h1>${info.title} API</h1>
          <p class="faint">
            ${info.summary}. Version ${info.version}. <a href="/openapi.json">OpenAPI document</a>, <a href="/postman.json">Postman collection</a>
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
          )}`,
  })
}

function linkTo({ operation }: Entry): Html {
  return markup`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`
}

function section({ method, path, operation }: Entry, document: Description): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const access =
    security?.length !== 0 ? 'API key' : path.startsWith('/') ? 'no key needed' : 'sent to your endpoint'
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
    ${samples({ method, path, operation })}${runOf({ method, path, operation })}
    <h4>Answers</h4>
    ${Object.entries(responses).map(([status, response]) => answer(status, response, document))}
  </section>`
}

/** How a program makes this call. */
function samples(entry: Entry): Html | readonly Html[] {
  const each = samplesOf(entry)
  if (each.length === 0) return []
  return markup`<h4>Samples</h4>
    ${each.map(
      ({ language, code }, index) =>
        markup`<details${{ html: index === 0 ? ' open' : '' }}>
          <summary>${language}</summary>
          ${sample(code)}
        </details>`,
    )}`
}

/** What the script makes a form of; a message has none. */
function runOf({ method, path, operation }: Entry): Html | readonly Html[] {
  if (!path.startsWith('/')) return []
  const { security, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.example
  const described = {
    method: method.toUpperCase(),
    path,
    needsKey: security?.length !== 0,
    parameters: parameters.map(({ name, in: place, required }) => ({
      ...{ name, place, isRequired: required === true },
      hint: place === 'path' ? (pathExamples[name] ?? '') : '',
    })),
    body: body === undefined ? null : JSON.stringify(body, null, 2),
    headers: [
      ...new Set(Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers))),
    ].filter((name) => !commonHeaderNames.includes(name)),
  }
  return markup`<div data-run="${JSON.stringify(described)}"></div>`
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
