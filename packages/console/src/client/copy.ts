/** Puts a button behind each text that people copy: links and secrets. Without a script the text is selected by hand. */

/** Time for which the button says what it did. */
const TOLD_MS = 2_000

export function offerCopies(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'plain copy no-print'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copy(place, button))
    place.after(' ', button)
  }
}

async function copy(place: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const text = place instanceof HTMLInputElement ? place.value : (place.textContent ?? '')
  // A browser may forbid it; the text is then selected, so that one key copies it.
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
  if (!isCopied) getSelection()?.selectAllChildren(place)
  if (!isCopied && place instanceof HTMLInputElement) place.select()
  button.textContent = isCopied ? 'Copied' : 'Selected: press Ctrl+C'
  setTimeout(() => (button.textContent = 'Copy'), TOLD_MS)
}
