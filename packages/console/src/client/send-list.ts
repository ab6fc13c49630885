/** Sends a list in parts, so that a file of any size that the API takes can be chosen. Without scripts the form sends a small file whole. */
export function sendListsInParts(): void {
  const input = document.querySelector<HTMLInputElement>('[data-upload-parts]')
  const form = input?.form
  if (input === null || form === null || form === undefined) return
  const hint = document.getElementById(input.getAttribute('aria-describedby') ?? '')
  if (hint !== null) hint.textContent = 'A list of an authority, as it publishes it.'
  form.addEventListener('submit', (event) => {
    const file = input.files?.[0]
    if (file === undefined) return
    event.preventDefault()
    for (const button of form.querySelectorAll('button')) button.disabled = true
    send(form, file, Number(input.dataset['uploadParts']), (text) => {
      if (hint !== null) hint.textContent = text
    }).catch((error: unknown) => {
      for (const button of form.querySelectorAll('button')) button.disabled = false
      if (hint !== null)
        hint.textContent = `The file could not be sent: ${error instanceof Error ? error.message : String(error)}`
    })
  })
}

async function send(
  form: HTMLFormElement,
  file: File,
  partBytes: number,
  tell: (text: string) => void,
): Promise<void> {
  const fields = new FormData(form)
  fields.delete('file')
  const csrf = String(fields.get('csrf'))
  fields.set('staged', 'yes')
  const begun = await post(form.action, fields)
  if (!begun.redirected) throw new Error(await begun.text())
  const parts = Math.ceil(file.size / partBytes)
  for (let part = 0; part < parts; part += 1) {
    tell(`Sent ${part} of ${parts} parts …`)
    const fieldsOfPart = new FormData()
    fieldsOfPart.set('csrf', csrf)
    fieldsOfPart.set('part', String(part))
    fieldsOfPart.set('file', file.slice(part * partBytes, (part + 1) * partBytes))
    const sent = await post(`${begun.url}/parts`, fieldsOfPart)
    if (!sent.ok) throw new Error(`part ${part} was answered ${sent.status}`)
  }
  const check = new FormData()
  check.set('csrf', csrf)
  const checked = await post(`${begun.url}/check`, check)
  location.assign(checked.url)
}

const post = (url: string, body: FormData): Promise<Response> =>
  fetch(url, { method: 'POST', body, credentials: 'same-origin' })
