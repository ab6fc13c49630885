// Makes the reference page of the TypeScript SDK from the syntax of its sources.
import ts from 'typescript'
import { pageText, required } from './page.mjs'

const SOURCES = 'packages/sdk-typescript/src'
const INTRO = `What [the guide](../sdk-typescript.md) explains, name by name. Types of what the API returns, such as \`Report\`, are those of the
[API description](openapi.json).`

/** @param {(name: string) => string} read Returns the text of a file of the project. */
export function pageOfTypeScript(read) {
  const sourceOf = (name) =>
    ts.createSourceFile(name, read(`${SOURCES}/${name}.ts`), ts.ScriptTarget.ESNext, true)
  const client = sourceOf('cupel')
  // The constructor of the client makes each resource, whose file has its name.
  const resources = [...client.text.matchAll(/this\.(\w+) = new \w+\(this\.#transport/g)].map(([, name]) => {
    const file = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return [`cupel.${name}`, sourceOf(`resources/${file}`)]
  })
  const optionFiles = [
    sourceOf('settings'),
    sourceOf('transport/call'),
    client,
    sourceOf('resources/list-of'),
    ...resources.map(([, source]) => source),
    sourceOf('webhooks/verify'),
    sourceOf('hooks'),
  ]
  return pageText({
    title: 'Reference of @cupel/sdk',
    intro: INTRO,
    language: 'ts',
    sections: [
      classSection('cupel', client),
      ...resources.map(([name, source]) => classSection(name, source)),
      classSection('ItemList', sourceOf('item-list')),
      functionSection('cupel.webhooks', sourceOf('webhooks/verify')),
    ],
    tables: [
      ...optionFiles.flatMap(optionTables),
      errorTable([sourceOf('errors'), sourceOf('generated/problem-errors')]),
    ],
  })
}

function classSection(name, source) {
  const declaration = source.statements.find((one) => ts.isClassDeclaration(one) && isExported(one))
  // The client makes resources and lists. Users call only the constructor of the client.
  const methods = declaration.members.filter(
    (one) =>
      (ts.isMethodDeclaration(one) && !isHidden(one)) ||
      (ts.isConstructorDeclaration(one) && name === 'cupel'),
  )
  return {
    title: name,
    doc: required(docOf(declaration) ?? '', name),
    entries: methods.map((one) => entryOf(name, one)),
  }
}

function functionSection(name, source) {
  const functions = source.statements.filter(
    (one) => ts.isFunctionDeclaration(one) && ['verify', 'sign'].includes(one.name?.text ?? ''),
  )
  const holder = source.statements.find(
    (one) => ts.isVariableStatement(one) && one.getText().includes('const webhooks'),
  )
  return {
    title: name,
    doc: required(docOf(holder) ?? '', name),
    entries: functions.map((one) => entryOf(name, one)),
  }
}

function entryOf(owner, member) {
  const isConstructor = ts.isConstructorDeclaration(member)
  const title = isConstructor ? 'new Cupel' : `${owner}.${member.name.getText()}`
  const parameters = member.parameters.map(parameterText).join(', ')
  const type = member.type === undefined ? '' : `: ${member.type.getText()}`
  const name = isConstructor ? 'new Cupel' : member.name.getText()
  return {
    title,
    code: `${name}(${parameters})${isConstructor ? '' : type}`,
    doc: required(docOf(member) ?? '', title),
  }
}

/** A parameter with a default value is optional. */
function parameterText({ name, type, questionToken, initializer, dotDotDotToken }) {
  const named = ts.isObjectBindingPattern(name) ? 'options' : name.getText()
  const mark = questionToken === undefined && initializer === undefined ? '' : '?'
  return `${dotDotDotToken === undefined ? '' : '...'}${named}${mark}: ${type?.getText() ?? 'unknown'}`
}

function optionTables(source) {
  return source.statements
    .filter((one) => ts.isInterfaceDeclaration(one) && isExported(one) && isForCallers(one.name.text))
    .map((one) => {
      const parents = one.heritageClauses?.flatMap(({ types }) => types.map((type) => type.getText())) ?? []
      const also =
        parents.length === 0 ? '' : `Also those of ${parents.map((name) => `\`${name}\``).join(', ')}.`
      return {
        title: one.name.text,
        doc: [docOf(one) ?? '', also].filter((text) => text !== '').join(' '),
        head: ['Name', 'Type', 'Meaning'],
        rows: one.members.map((member) => [
          `\`${member.name.getText()}\``,
          `\`${memberType(member)}\``,
          docOf(member) ?? '',
        ]),
      }
    })
    .filter(({ rows }) => rows.length > 0)
}

const memberType = (member) => (member.type?.getText() ?? 'unknown').replaceAll(/\s+/g, ' ')
const isForCallers = (name) => /(?:Options|Event|Fields|Change|^Hooks)$/.test(name)

function errorTable(sources) {
  const classes = sources.flatMap((source) =>
    source.statements.filter((one) => ts.isClassDeclaration(one) && isExported(one)),
  )
  return {
    title: 'Errors',
    doc: '',
    head: ['Error', 'Is a', 'When'],
    rows: classes.map((one) => [
      `\`${one.name.text}\``,
      `\`${one.heritageClauses[0].types[0].expression.getText()}\``,
      required(docOf(one) ?? '', one.name.text),
    ]),
  }
}

const hasModifier = (node, kind) => node.modifiers?.some((modifier) => modifier.kind === kind) === true
const isExported = (node) => hasModifier(node, ts.SyntaxKind.ExportKeyword)
const isHidden = (node) =>
  hasModifier(node, ts.SyntaxKind.PrivateKeyword) ||
  (node.name !== undefined && (ts.isPrivateIdentifier(node.name) || ts.isComputedPropertyName(node.name)))

/** Null if there is no comment. */
function docOf(node) {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  if (comment === undefined) return null
  const text = ts.getTextOfJSDocComment(comment.comment)
  if (text === undefined) return null
  const deprecated = comment.tags?.find(ts.isJSDocDeprecatedTag)
  const oneLine = (words) => (words ?? '').replaceAll(/\s+/g, ' ').trim()
  if (deprecated === undefined) return oneLine(text)
  return `${oneLine(text)}\n\nDeprecated: ${oneLine(ts.getTextOfJSDocComment(deprecated.comment))}`
}
