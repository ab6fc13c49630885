/** The answer to a search in the description: the operations, messages, problems and schemas that have all of its words. */
import { problemCodes } from '@cupel/contracts'
import { entriesOf, type Description } from './description.js'
import { inline, markup, type Html, backToDocs, shell } from '@cupel/gate/http'

interface Found {
  readonly href: string
  readonly title: string
  readonly kind: string
  /** The first sentence about it. */
  readonly about: string
}

/** A whole HTML document. `description` is an OpenAPI document as `describeApi` makes it. */
export function renderSearchPage(description: object, words: string): string {
  const found = search(description as Description, words)
  const list = markup`<ul>
    ${found.map(
      ({ href, title, kind, about }) =>
        markup`<li><a href="${href}">${title}</a> <span class="faint">${kind}</span><br />${inline(about)}</li>`,
    )}
  </ul>`
  const count = found.length === 1 ? '1 place' : `${found.length} places`
  const content: Html = markup`<h1>Search</h1>
    <p>${found.length === 0 ? 'Nothing has all of these words.' : `${count} with all of these words.`}</p>
    ${found.length === 0 ? [] : list}`
  return shell({ title: `Search: ${words}`, nav: backToDocs(words), content })
}

export function search(description: Description, words: string): readonly Found[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const has = (...texts: readonly unknown[]): boolean => {
    const text = texts
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one ?? '')))
      .join(' ')
      .toLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  const messages = Object.entries(description.webhooks ?? {}).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ method: 'webhook', path, operation })),
  )
  const operations = [...entriesOf(description), ...messages].flatMap(
    ({ method, path, operation }): Found[] => {
      const { operationId, summary, description: about, parameters, requestBody } = operation
      const body = JSON.stringify(requestBody?.content ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)
      const schemas = [...body].map(([, name]) => description.components.schemas[name!])
      if (!has(operationId, method, path, summary, about, parameters, schemas)) return []
      return [
        {
          href: `/docs#${operationId}`,
          title: summary,
          kind: `${method.toUpperCase()} ${path}`,
          about: firstOf(about),
        },
      ]
    },
  )
  const problems = Object.entries(problemCodes).flatMap(([code, { title, status }]): Found[] =>
    has(code, title)
      ? [{ href: `/problems/${code}`, title: code, kind: `problem, ${status}`, about: `${title}.` }]
      : [],
  )
  const schemas = Object.entries(description.components.schemas).flatMap(([name, schema]): Found[] =>
    has(name, schema)
      ? [
          {
            href: `/docs#schema-${name}`,
            title: name,
            kind: 'schema',
            about: firstOf(schema.description ?? ''),
          },
        ]
      : [],
  )
  return [...operations, ...problems, ...schemas]
}

const firstOf = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
