/** Follows the reading of a history on the page of a report, until it has failed or stopped, or is read: then the new report is shown. */

const EVERY_MS = 1_500
/** Answers in a row that may fail. */
const MOST_FAILURES = 5
const LOST = 'How far the history is cannot be told any more. Load the page again.'
const signs: Readonly<Record<string, string>> = { done: '✓', fault: '!' }

interface Told {
  readonly status: string
  readonly text: string
  /** Path of a report that waits for nothing; else null. */
  readonly newer: string | null
}

export function followHistory(): void {
  const box = document.querySelector<HTMLElement>('[data-follow-history]')
  const url = box?.dataset['followHistory']
  if (box === null || url === undefined) return
  let failures = 0
  const look = async (): Promise<void> => {
    const told = await read(url)
    failures = told === null ? failures + 1 : 0
    if (failures === MOST_FAILURES) return show(box, LOST, 'fault')
    if (told?.status === 'read') return showNewer(box, told)
    if (told !== null && told.status !== 'reading') return show(box, told.text, 'fault')
    if (told !== null) show(box, told.text, null)
    setTimeout(() => void look(), EVERY_MS)
  }
  void look()
}

async function read(url: string): Promise<Told | null> {
  try {
    const reply = await fetch(url, { headers: { accept: 'application/json' } })
    return reply.ok ? ((await reply.json()) as Told) : null
  } catch {
    return null
  }
}

/** Sent once: the page is another one then, or the button is there. */
function showNewer(box: HTMLElement, { text, newer }: Told): void {
  show(box, text, 'done')
  const button = box.querySelector<HTMLButtonElement>('[data-history-again]')
  const link = box.querySelector<HTMLAnchorElement>('[data-history-newer]')
  if (newer !== null && link !== null) {
    link.href = newer
    link.hidden = false
  }
  if (button === null) return
  button.hidden = false
  if (button.dataset['historyAgain'] === 'by-itself') button.form?.requestSubmit(button)
}

function show(box: HTMLElement, text: string, kind: 'done' | 'fault' | null): void {
  const place = box.querySelector('[data-history-text]')
  // A text that is the same is not announced again.
  if (place !== null && place.textContent !== text) place.textContent = text
  if (kind === null) return
  box.className = `notice notice-${kind} no-print`
  const sign = box.querySelector('.sign')
  if (sign !== null) sign.textContent = signs[kind] ?? ''
  if (kind === 'fault') box.querySelector('[data-history-fault]')?.removeAttribute('hidden')
}
