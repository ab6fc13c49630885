/** The addresses of a file: one per line, or the first column of a CSV file, or a JSON array. */

/** Skips empty lines, lines that begin with #, and a heading `address`. */
export function addressesOf(text: string): string[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed.startsWith('[')) return arrayOf(trimmed)
  const lines = trimmed.split(/\r\n|\r|\n/).map((line) => line.trim())
  const addresses = lines.filter((line) => line !== '' && !line.startsWith('#')).map(firstCell)
  return addresses[0]?.toLowerCase() === 'address' ? addresses.slice(1) : addresses
}

function arrayOf(text: string): string[] {
  const values: unknown = JSON.parse(text)
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new TypeError('The JSON in the file is not an array of strings')
  return values
}

/** Addresses contain no comma, semicolon or quote. */
function firstCell(line: string): string {
  return (/^"([^"]*)"/.exec(line)?.[1] ?? line.split(/[,;\t]/)[0]!).trim()
}
