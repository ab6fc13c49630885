// Ends every benchmark: prints its table and writes its results as JSON to bench-results/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function report(root, name, table, results, file = newFile(root, name)) {
  console.log(`\n${table}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  console.log(`JSON: ${file}`)
}

/** Replaces the part of a page in docs/ that stands between the markers `<!-- {part}: begin -->` and `<!-- {part}: end -->`. */
export function writeDocs(root, page, part, table) {
  const file = join(root, 'docs', page)
  const [begin, finish] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`]
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(finish)]
  if (from === -1 || to < from) throw new Error(`${file} lacks its markers ${begin} and ${finish}`)
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${table.trim()}\n\n${text.slice(to)}`)
  console.log(`Wrote ${file}`)
}

/** Prints `text` and exits: 0 after --help, 2 for an invalid option. */
export function end(code, text) {
  console.log(text)
  process.exit(code)
}

function newFile(root, name) {
  return join(root, 'bench-results', `${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
}
