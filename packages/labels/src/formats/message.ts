/** Quotes and shortens text of a file for a message, so that a broken file cannot flood a log or a terminal. */
const MAX_SHOWN_CHARACTERS = 80

export function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text)
}
