/** What a run of an operation sends and shows. */

export interface Operation {
  readonly method: string
  /** With the names of its parameters in braces. */
  readonly path: string
  readonly needsKey: boolean
  readonly parameters: readonly {
    readonly name: string
    readonly place: 'path' | 'query' | 'header'
    readonly isRequired: boolean
    /** An example. */
    readonly hint: string
  }[]
  /** An example of its JSON; null if it takes no body. */
  readonly body: string | null
  /** Headers that its answers are described with. */
  readonly headers: readonly string[]
}

/** Characters of a body that are shown; the rest is left out, and the text says so. */
const MAX_SHOWN = 200_000

/** Whether any text of the form has a key that is not for this page. */
export const hasLiveKey = (values: Readonly<Record<string, string>>): boolean =>
  Object.values(values).some((value) => /cpl_live_\w/i.test(value))

/** Whether it has the form of a key of the sandbox. */
export const isSandboxKey = (key: string): boolean => /^cpl_test_[0-9A-Za-z]+$/.test(key)

/** Whether the path of a call has no part that leads to another operation: a browser takes `..` for the part above it. */
export const staysInPlace = (url: string): boolean => {
  const [path = ''] = url.split('?', 1)
  return new URL(path, 'http://api.invalid').pathname === path
}

/** `values`: the texts of the form by place and name, such as `query chain`, `key` and `body`. An empty parameter is not sent. */
export function callOf(
  { method, path, needsKey, parameters, body }: Operation,
  values: Readonly<Record<string, string>>,
): {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
} {
  const given = (place: string): [string, string][] =>
    parameters.flatMap((one) => {
      const value = values[`${one.place} ${one.name}`] ?? ''
      return one.place === place && value !== '' ? [[one.name, value] as [string, string]] : []
    })
  const inPath = new Map(given('path'))
  // A tile has slashes of its own.
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    (inPath.get(name) ?? '').split('/').map(encodeURIComponent).join('/'),
  )
  const query = new URLSearchParams(given('query')).toString()
  return {
    url: query === '' ? filled : `${filled}?${query}`,
    method,
    headers: {
      ...Object.fromEntries(given('header')),
      ...(needsKey ? { Authorization: `Bearer ${values['key'] ?? ''}` } : {}),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === null ? {} : { body: values['body'] ?? '' }),
  }
}

/** The text of a body, null for a file. JSON is indented if no number changes by it. */
export function shownBody(contentType: string, bytes: Uint8Array): string | null {
  if (bytes.length > 0 && !/json|^text\//.test(contentType)) return null
  const text = new TextDecoder().decode(bytes)
  const shown = indented(text)
  return shown.length <= MAX_SHOWN
    ? shown
    : `${shown.slice(0, MAX_SHOWN)}\n… ${shown.length - MAX_SHOWN} more characters are not shown.`
}

function indented(text: string): string {
  try {
    const value = JSON.parse(text) as unknown
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text
  } catch {
    // A text, or lines of JSON.
    return text
  }
}
