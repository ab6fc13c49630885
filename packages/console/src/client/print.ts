/** A printed page shows everything that a reader would have to unfold. */
export function openAllForPrint(): void {
  const opened = new Set<HTMLDetailsElement>()
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details')) {
      if (details.open) continue
      details.open = true
      opened.add(details)
    }
  })
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false
    opened.clear()
  })
}
