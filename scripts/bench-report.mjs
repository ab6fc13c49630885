// What every benchmark ends with: its table for people, and its results as JSON in bench-results/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function report(root, name, table, results) {
  console.log(`\n${table}`)
  const file = join(root, 'bench-results', `${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  console.log(`JSON: ${file}`)
}

/** Says it and ends: a question was answered (0), or an option was wrong (2). */
export function end(code, text) {
  console.log(text)
  process.exit(code)
}
