// Makes the reference page of the Python SDK from the text of its synchronous sources. They are generated, so their form is known.
import { pageText, required } from './page.mjs'

const SOURCES = 'packages/sdk-python/src/cupel'
const INTRO = `What [the guide](../sdk-python.md) explains, name by name, for the synchronous client. \`AsyncCupel\` has the same methods; those that call
the service are awaited, and lists are read with \`async for\`. Types of what the API returns, such as \`Report\`, are those of the
[API description](openapi.json).`

/** @param {(name: string) => string} read Returns the text of a file of the project. */
export function pageOfPython(read) {
  const source = (name) => read(`${SOURCES}/${name}.py`)
  const client = source('_sync/client')
  // The constructor of the client makes each resource, whose module has its name.
  const resources = [...client.matchAll(/self\.(\w+) = \w+\(self\._transport/g)].map(([, name]) => name)
  const errors = ['errors', '_problem_errors'].flatMap((name) => classesOf(source(name)))
  return pageText({
    title: 'Reference of cupel for Python',
    intro: INTRO,
    language: 'python',
    sections: [
      classSection('cupel', client),
      ...resources.map((name) => classSection(`cupel.${name}`, source(`_sync/resources/${name}`))),
      classSection('ItemList', source('_sync/item_list')),
      {
        title: 'cupel.webhooks',
        doc: docAt(source('webhooks'), 0),
        entries: entriesOf('cupel.webhooks', source('webhooks'), ''),
      },
    ],
    tables: [
      {
        title: 'Errors',
        doc: '',
        head: ['Error', 'Is a', 'When'],
        rows: errors
          .filter(({ name }) => name.endsWith('Error') && name !== 'FieldError')
          .map(({ name, parent, doc }) => [`\`${name}\``, `\`${parent}\``, required(doc, name)]),
      },
    ],
  })
}

function classSection(title, text) {
  const [{ name, doc }] = classesOf(text).filter(({ name: one }) => !one.startsWith('_'))
  return { title, doc: required(doc, name), entries: entriesOf(title, text, '    ') }
}

function classesOf(text) {
  return [...text.matchAll(/^class (\w+)(?:\((.*?)\))?:\n/gm)].map((found) => ({
    name: found[1],
    parent: found[2] ?? 'object',
    doc: docAt(text, found.index + found[0].length),
  }))
}

/** Public functions at one depth. The constructor of the client is listed as its class. */
function entriesOf(owner, text, indent) {
  const pattern = new RegExp(`^${indent}def (\\w+)\\((.*?)\\)( -> .*?)?:\\n`, 'gms')
  return [...text.matchAll(pattern)].flatMap((found) => {
    const [all, name, parameters, type = ''] = found
    const at = found.index + all.length
    const isClient = name === '__init__' && owner === 'cupel'
    if (name.startsWith('_') && !isClient) return []
    const title = isClient ? 'Cupel' : `${owner}.${name}`
    const given = parameters
      .replaceAll(/\s+/g, ' ')
      .replace(/^ ?self,? ?/, '')
      .replace(/,? ?$/, '')
      .trim()
    const code = `${isClient ? 'Cupel' : name}(${given})${isClient ? '' : type}`
    return [{ title, code: folded(code), doc: isClient ? CLIENT : required(docAt(text, at), title) }]
  })
}

const CLIENT = 'The arguments are explained above.'
const LONGEST_LINE = 100

/** A long signature has one parameter per line. */
function folded(code) {
  if (code.length <= LONGEST_LINE) return code
  const open = code.indexOf('(')
  const close = code.lastIndexOf(')')
  return `${code.slice(0, open + 1)}\n    ${divided(code.slice(open + 1, close)).join(',\n    ')},\n${code.slice(close)}`
}

/** Splits at commas outside of brackets. */
function divided(parameters) {
  const parts = ['']
  let depth = 0
  for (const letter of parameters) {
    if ('[('.includes(letter)) depth += 1
    if ('])'.includes(letter)) depth -= 1
    if (letter === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim())
}

/** The docstring that begins at `at`; empty if there is none. */
function docAt(text, at) {
  const found = /^\s*"""(.*?)"""/s.exec(text.slice(at).replace(/^(?:#.*\n)+/, ''))
  if (found === null) return ''
  return found[1]
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
    .join('\n\n')
}
