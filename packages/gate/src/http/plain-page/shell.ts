/** The frame of the pages about the API: nothing is loaded. */
import { markup, type Html } from './markup.js'
import { style } from './style.js'

interface Shell {
  readonly title: string
  readonly nav: Html
  readonly content: Html
  /** Served with `scriptedPolicy` of it. Absent: the page runs none. */
  readonly script?: string
}

/** A whole HTML document. */
export function shell({ title, nav, content, script }: Shell): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>${{ html: style }}</style>
      </head>
      <body>
        <a class="skip" href="#content">To the content</a>
        <nav aria-label="Contents">${nav}</nav>
        <main id="content">${content}</main>
        ${script === undefined ? [] : markup`<script type="module">${{ html: script }}</script>`}
      </body>
    </html>
`.html
}

/** `words`: what was searched for last. */
export function searchForm(words: string): Html {
  return markup`<form action="/docs" method="get" role="search">
    <label for="q">Search</label>
    <input id="q" name="q" type="search" maxlength="100" value="${words}" />
  </form>`
}

/** The navigation of a page beside the description. */
export function backToDocs(words = ''): Html {
  return markup`<a href="/docs"><b>The whole description</b></a>
    ${searchForm(words)}`
}
