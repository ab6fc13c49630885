// The form of a reference page, the same for each language.

/**
 * @param {{ title: string, intro: string, language: string,
 *   sections: { title: string, doc: string, entries: { title: string, code: string, doc: string }[] }[],
 *   tables: { title: string, doc: string, head: string[], rows: string[][] }[] }} page
 */
export function pageText({ title, intro, language, sections, tables }) {
  const entry = ({ title: name, code, doc }) =>
    `### ${name}\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n${doc}\n`
  return [
    `# ${title}\n\n${intro}\n`,
    ...sections.map(
      ({ title: name, doc, entries }) => `## ${name}\n\n${doc}\n\n${entries.map(entry).join('\n')}`,
    ),
    ...tables.map(
      ({ title: name, doc, head, rows }) =>
        `## ${name}\n\n${doc === '' ? '' : `${doc}\n\n`}${tableText(head, rows)}`,
    ),
  ].join('\n')
}

function tableText(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return [head, head.map(() => '---'), ...rows].map(line).join('')
}

/** Throws if a public part of an SDK has no comment. */
export function required(doc, name) {
  if (doc === '') throw new Error(`${name} has no comment, so the reference cannot say what it does.`)
  return doc
}
