/** A file that is dropped on a text field is chosen, as if it had been picked by hand. */
export function takeDroppedFiles(): void {
  const area = document.querySelector<HTMLTextAreaElement>('[data-drop]')
  const input = document.getElementById(area?.dataset['drop'] ?? '')
  if (area === null || !(input instanceof HTMLInputElement)) return
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    area.classList.add('dropping')
  })
  area.addEventListener('dragleave', () => area.classList.remove('dropping'))
  area.addEventListener('drop', (event) => {
    area.classList.remove('dropping')
    const files = event.dataTransfer?.files
    if (files === undefined || files.length === 0) return
    event.preventDefault()
    input.files = files
    input.focus()
  })
}
