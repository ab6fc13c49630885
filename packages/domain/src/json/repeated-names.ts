const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g

/** Whether an object in a JSON text has a member twice. JSON.parse, which gave `value`, keeps only the last. */
export function repeatsNames(text: string, value: unknown): boolean {
  const names = text.match(STRING)?.filter((string) => string.endsWith(':')) ?? []
  return names.length !== namesIn(value)
}

function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.reduce((sum: number, one) => sum + namesIn(one), Array.isArray(value) ? 0 : members.length)
}
