/** One page of the files of a bucket (Amazon S3 API, ListObjectsV2), and the errors of a store, which are XML too. */
import { SaxesParser } from 'saxes'

export interface ListedPage {
  readonly keys: readonly string[]
  /** Names the next page; null on the last one. */
  readonly next: string | null
}

/** Characters directly in one element: a key has 1,024 bytes at most. */
const MAX_TEXT_CHARACTERS = 8_192
const MAX_DEPTH = 8

/** Throws an Error if the text is no such answer, or is cut off. */
export function readListedPage(xml: string): ListedPage {
  const keys: string[] = []
  let [truncated, next] = ['', '']
  const root = readElements(xml, (path, text) => {
    if (path === 'Contents/Key') keys.push(text)
    else if (path === 'IsTruncated') truncated = text
    else if (path === 'NextContinuationToken') next = text
  })
  if (root !== 'ListBucketResult') throw new Error(`it answered <${root}>`)
  if (truncated !== 'true' && truncated !== 'false')
    throw new Error('it does not say whether the list is whole')
  if (truncated === 'true' && next === '') throw new Error('it does not name the next page of a list')
  return { keys, next: truncated === 'true' ? next : null }
}

/** Code and message of an error; null if the text is none. */
export function readStoreError(xml: string): { readonly code: string; readonly message: string } | null {
  let [code, message] = ['', '']
  try {
    const root = readElements(xml, (path, text) => {
      if (path === 'Code') code = text
      else if (path === 'Message') message = text
    })
    return root === 'Error' && code !== '' ? { code, message } : null
  } catch {
    // For example a page of a proxy.
    return null
  }
}

/** Resolves to the name of the root. `onText` gets the path below it and the text directly within the element. */
function readElements(xml: string, onText: (path: string, text: string) => void): string {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  const open: { name: string; text: string }[] = []
  let root: string | null = null
  parser.on('error', (error) => {
    throw new Error(`its answer is not XML (${error.message})`)
  })
  parser.on('opentag', ({ name }) => {
    if (open.length === MAX_DEPTH) throw new Error('its answer is nested too deeply')
    root ??= name
    open.push({ name, text: '' })
  })
  parser.on('text', (text) => {
    const last = open.at(-1)
    if (last === undefined) return
    last.text += text
    if (last.text.length > MAX_TEXT_CHARACTERS) throw new Error('its answer has too much text')
  })
  parser.on('closetag', () => {
    const path = open.slice(1).map(({ name }) => name)
    const { text } = open.pop()!
    onText(path.join('/'), text)
  })
  parser.write(xml).close()
  if (root === null) throw new Error('its answer is empty')
  return root
}
