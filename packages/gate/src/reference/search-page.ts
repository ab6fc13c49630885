/** The answer to a search in the description: the operations, messages, problems and schemas that have all of its words. */
import { problemCodes } from '@cupel/contracts'
import { entriesOf, type Description } from './description.js'
import { inline, markup, type Html, backToDocs, shell } from '../http/index.js'

interface Found {
  readonly href: string
  readonly title: string
  readonly kind: string
  /** The first sentence about it. */
  readonly about: string
}

/** Whole HTML documents. `description` is an OpenAPI document as `describeApi` makes it; it is read once, not for each search. */
export function searchPages(description: object): (words: string) => string {
  const search = createSearch(description as Description)
  return (words) => renderSearchPage(search(words), words)
}

function renderSearchPage(found: readonly Found[], words: string): string {
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

export function createSearch(description: Description): (words: string) => readonly Found[] {
  const places = placesOf(description)
  return (words) => {
    const wanted = words
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    return places.flatMap(({ found, text }) => (wanted.every((word) => text.includes(word)) ? [found] : []))
  }
}

interface Place {
  readonly found: Found
  /** All that is searched, in lower case. */
  readonly text: string
}

const place = (found: Found, ...texts: readonly unknown[]): Place => ({
  found,
  text: texts
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one ?? '')))
    .join(' ')
    .toLowerCase(),
})

function placesOf(description: Description): readonly Place[] {
  const messages = Object.entries(description.webhooks ?? {}).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ method: 'webhook', path, operation })),
  )
  const operations = [...entriesOf(description), ...messages].map(({ method, path, operation }) => {
    const { operationId, summary, description: about, parameters, requestBody } = operation
    const body = JSON.stringify(requestBody?.content ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)
    const schemas = [...body].map(([, name]) => description.components.schemas[name!])
    const kind = `${method.toUpperCase()} ${path}`
    return place(
      { href: `/docs#${operationId}`, title: summary, kind, about: firstOf(about) },
      ...[operationId, method, path, summary, about, parameters, schemas],
    )
  })
  const problems = Object.entries(problemCodes).map(([code, { title, status }]) => {
    const kind = `problem, ${status}`
    return place({ href: `/problems/${code}`, title: code, kind, about: `${title}.` }, code, title)
  })
  const schemas = Object.entries(description.components.schemas).map(([name, schema]) => {
    const about = firstOf(schema.description ?? '')
    return place({ href: `/docs#schema-${name}`, title: name, kind: 'schema', about }, name, schema)
  })
  return [...operations, ...problems, ...schemas]
}

const firstOf = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
