/** Builds HTML: every text that is not markup is escaped. */

/** Markup that is put into the page unescaped. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | readonly Html[]

/** A template whose parts are escaped, unless they are markup already. */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, at) => text + (at < parts.length ? markupOf(parts[at]!) : '')).join('') }
}

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  if ('html' in part) return part.html
  return part.map((one) => one.html).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

/** The only Markdown that descriptions use: `code`. */
export function inline(text: string): Html {
  return {
    html: text
      .split('`')
      .map((part, at) => (at % 2 === 1 ? `<code>${escape(part)}</code>` : escape(part)))
      .join(''),
  }
}

/** An empty line separates paragraphs. */
export function prose(text: string): readonly Html[] {
  return text.split('\n\n').map((paragraph) => markup`<p>${inline(paragraph)}</p>`)
}
