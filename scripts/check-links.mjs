// Checks that the targets of references in documents and comments exist. Part of `npm run lint`.
//   node scripts/check-links.mjs [folder]
// In Markdown files: relative links with their anchors, and paths of files and folders in the text (`packages/domain/src`).
// In source files: documents that comments name (`docs/adr/0100`, `docs/bulk.md`). The index of decisions must list all of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'))
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'generated', 'boundary-fixtures'])
/** This test names documents that do not exist, on purpose. */
const OWN_TEST = 'packages/testkit/src/links.unit.test.ts'
const SOURCES = new Set([
  '.ts',
  '.mts',
  '.mjs',
  '.cjs',
  '.js',
  '.sql',
  '.json',
  '.properties',
  '.xml',
  '.yaml',
])
/** A path in running text begins with one of these folders. The check stops at a wildcard or placeholder. */
const PATH = /(?<![\w./@-])(?:packages|services|schemas|docs|deploy|data|scripts)\/[\w./-]*[*<{]?/g
const DOCUMENT = /(?<![\w./-])docs\/(?:adr\/\d{4}(?![\w-])|[\w./-]+\.md)/g
const LINK = /\]\((?!https?:|mailto:)([^()\s]+)\)/g
const FENCE = /^(`{3,})[^\n]*\n[\s\S]*?^\1/gm

const broken = filesUnder(root).flatMap((file) =>
  extname(file) === '.md' ? inMarkdown(file) : SOURCES.has(extname(file)) ? inSource(file) : [],
)
const complaints = [
  ...broken.map(
    ({ file, line, reference }) => `${relative(root, file)}:${line}: ${reference} does not exist`,
  ),
  ...unlistedDecisions().map((name) => `docs/adr/README.md: the index lacks ${name}`),
]
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length === 0 ? 0 : 1

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : []
  })
}

function inMarkdown(file) {
  const text = readFileSync(file, 'utf8')
  const prose = text.replaceAll(FENCE, (block) => block.replaceAll(/[^\n]/g, ' '))
  const links = references(file, prose, LINK, (link) => linkExists(file, link[1]))
  const paths = references(file, prose.replaceAll(LINK, withoutTarget), PATH, (match) => pathExists(match[0]))
  return [...links, ...paths]
}

function inSource(file) {
  if (file === join(root, OWN_TEST)) return []
  return references(file, readFileSync(file, 'utf8'), DOCUMENT, (match) => pathExists(match[0]))
}

/** References of one kind whose targets do not exist, with their lines. */
function references(file, text, pattern, exists) {
  return [...text.matchAll(pattern)]
    .filter((match) => !exists(match))
    .map((match) => ({
      file,
      line: text.slice(0, match.index).split('\n').length,
      reference: match[1] ?? match[0],
    }))
}

function linkExists(file, link) {
  const [path, anchor] = link.split('#')
  const target = path === '' ? file : resolve(dirname(file), path)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsOf(target).has(anchor)
}

function pathExists(named) {
  if (/[*<{]$/.test(named)) return existsSync(join(root, dirname(named)))
  const path = named.replace(/[./]+$/, '')
  const decision = /^docs\/adr\/(\d{4})$/.exec(path)
  // A built file stands for its source: a fresh clone has not built it yet.
  if (decision === null) return existsSync(join(root, path.replace(/\/dist\/(.+)\.js$/, '/src/$1.ts')))
  const folder = join(root, 'docs/adr')
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${decision[1]}-`))
}

function unlistedDecisions() {
  const folder = join(root, 'docs/adr')
  const index = join(folder, 'README.md')
  if (!existsSync(index)) return []
  const text = readFileSync(index, 'utf8')
  return readdirSync(folder).filter((name) => /^\d{4}-/.test(name) && !text.includes(`](${name})`))
}

/** Anchors as GitHub makes them from headings. */
function anchorsOf(file) {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

/** Replaces a link with blanks of the same length, so that line numbers stay and a link is not checked twice. */
function withoutTarget(link) {
  return link.replaceAll(/[^\n]/g, ' ')
}
