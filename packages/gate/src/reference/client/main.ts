/**
 * Runs the operations of the reference page against the sandbox of the installation that serves it. The page works without this script.
 * The key is in the memory of the page only, and nothing but a sandbox key is sent.
 */
import { callOf, hasLiveKey, isSandboxKey, shownBody, staysInPlace, type Operation } from './call.js'

/** The answer to any call is whole by then; a stream of events that goes on is ended. */
const MAX_WAIT_MS = 120_000

/** The key of the last run, so that the next operation need not ask for it. */
let lastKey = ''

for (const place of document.querySelectorAll<HTMLElement>('[data-run]')) {
  const details = element('details', '')
  details.append(element('summary', 'Run against the sandbox'))
  details.addEventListener('toggle', () => openForm(details, place.dataset['run'] ?? ''))
  place.append(details)
}

function openForm(details: HTMLElement, described: string): void {
  if (details.querySelector('form') === null) details.append(formOf(JSON.parse(described) as Operation))
  const key = details.querySelector<HTMLInputElement>('input[name="key"]')
  if (key?.value === '') key.value = lastKey
}

function formOf(operation: Operation): HTMLFormElement {
  const form = element('form', '')
  if (operation.needsKey) form.append(field('Sandbox key', 'key', { isRequired: true, hint: 'cpl_test_…' }))
  for (const { name, place, isRequired, hint } of operation.parameters)
    form.append(field(`${name} (${place})`, `${place} ${name}`, { isRequired, hint }))
  if (operation.body !== null) {
    const body = element('textarea', operation.body)
    form.append(labelled('Body, application/json', 'body', body))
    body.rows = Math.min(operation.body.split('\n').length + 1, 16)
  }
  const said = element('p', '')
  said.setAttribute('role', 'status')
  const answer = element('div', '')
  const send = element('button', 'Send')
  form.append(send, said, answer)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(operation, form, { said, answer, send })
  })
  return form
}

interface Places {
  readonly said: HTMLElement
  readonly answer: HTMLElement
  readonly send: HTMLButtonElement
}

async function run(
  operation: Operation,
  form: HTMLFormElement,
  { said, answer, send }: Places,
): Promise<void> {
  if (send.ariaDisabled === 'true') return
  const values = Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [
      name,
      name === 'key' ? String(value).trim() : String(value),
    ]),
  )
  answer.replaceChildren()
  if (hasLiveKey(values)) {
    form.reset()
    said.textContent =
      'Nothing was sent. There is a live key in the form; this page takes keys of the sandbox only.'
    return
  }
  if (operation.needsKey && !isSandboxKey(values['key'] ?? '')) {
    said.textContent = 'Nothing was sent. A key of the sandbox begins with cpl_test_.'
    return
  }
  if (operation.needsKey) lastKey = values['key'] ?? ''
  const { url, ...options } = callOf(operation, values)
  if (!staysInPlace(url)) {
    said.textContent = 'Nothing was sent. A value of the path leads to another operation.'
    return
  }
  said.textContent = 'Waiting for the answer.'
  // A button that is disabled would lose the focus.
  send.ariaDisabled = 'true'
  try {
    const response = await fetch(url, {
      ...options,
      ...{ mode: 'same-origin', credentials: 'omit', redirect: 'error', cache: 'no-store' },
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const asked = response.url.slice(location.origin.length)
    said.textContent = `${operation.method} ${asked}: ${response.status} ${response.statusText}`
    answer.append(...shownAnswer(operation, response, bytes))
  } catch (error) {
    const consequence =
      operation.method === 'GET' ? '' : ' Whether the service carried the call out is not known.'
    said.textContent = `The answer did not arrive whole: ${String(error)}.${consequence}`
  } finally {
    send.ariaDisabled = null
  }
}

function shownAnswer({ headers }: Operation, response: Response, bytes: Uint8Array<ArrayBuffer>): Node[] {
  const type = response.headers.get('content-type') ?? ''
  const lines = ['Content-Type', ...headers].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const body = shownBody(type, bytes)
  if (body !== null) return [...textOf('Headers', lines.join('\n')), ...textOf('Body', body)]
  const link = element('a', `Save the file of ${bytes.length} bytes`)
  link.href = URL.createObjectURL(new Blob([bytes], { type }))
  link.download = 'answer'
  return [...textOf('Headers', lines.join('\n')), link]
}

function textOf(title: string, text: string): Node[] {
  const shown = element('pre', text === '' ? 'None' : text)
  shown.tabIndex = 0
  return [element('h4', title), shown]
}

function field(
  label: string,
  name: string,
  { isRequired, hint }: { readonly isRequired: boolean; readonly hint: string },
): HTMLLabelElement {
  const input = element('input', '')
  input.required = isRequired
  input.placeholder = hint
  return labelled(label, name, input)
}

/** Browsers neither keep what is typed nor send it to a service that checks spelling. */
function labelled(
  label: string,
  name: string,
  control: HTMLInputElement | HTMLTextAreaElement,
): HTMLLabelElement {
  control.name = name
  control.autocomplete = 'off'
  control.spellcheck = false
  const around = element('label', label)
  around.append(control)
  return around
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
