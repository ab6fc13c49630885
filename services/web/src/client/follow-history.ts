/** Follows the reading of a history on the page of a report, until it is read, has failed, or has stopped. */

const EVERY_MS = 1_500
/** Answers in a row that may fail. */
const MOST_FAILURES = 5
const LOST = 'How far the history is cannot be told any more. Load the page again.'
const signs: Readonly<Record<string, string>> = { done: '✓', fault: '!' }

export function followHistory(): void {
  const box = document.querySelector<HTMLElement>('[data-follow-history]')
  const url = box?.dataset['followHistory']
  if (box === null || url === undefined) return
  let failures = 0
  const look = async (): Promise<void> => {
    const told = await read(url)
    failures = told === null ? failures + 1 : 0
    if (failures === MOST_FAILURES) return show(box, LOST, 'fault')
    if (told?.status === 'read') return show(box, told.text, 'done')
    if (told !== null && told.status !== 'reading') return show(box, told.text, 'fault')
    if (told !== null) show(box, told.text, null)
    setTimeout(() => void look(), EVERY_MS)
  }
  void look()
}

async function read(url: string): Promise<{ readonly status: string; readonly text: string } | null> {
  try {
    const reply = await fetch(url, { headers: { accept: 'application/json' } })
    return reply.ok ? ((await reply.json()) as { status: string; text: string }) : null
  } catch {
    return null
  }
}

function show(box: HTMLElement, text: string, kind: 'done' | 'fault' | null): void {
  const place = box.querySelector('[data-history-text]')
  // A text that is the same is not announced again.
  if (place !== null && place.textContent !== text) place.textContent = text
  if (kind === null) return
  box.className = `notice notice-${kind} no-print`
  const sign = box.querySelector('.sign')
  if (sign !== null) sign.textContent = signs[kind] ?? ''
}
