// Common generators make classes of all schemas at once, and Maven builds the examples as their pages say.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { persist } from './containers/persist.mjs'
import { root } from './setup.mjs'

const AVRO = '1.12.1'
const COMPILER_PLUGIN = '3.13.0'
const AVROGEN = 'github.com/hamba/avro/v2/cmd/avrogen@v2.30.0'
const GO_AVRO = 'github.com/hamba/avro/v2 v2.30.0'
const LIMIT_MS = 900_000

const hasMaven = has('mvn', '-version') && has('javac', '-version')
const hasGo = has('go', 'version')
if (!hasMaven) noteSkip('classes of events in Java: mvn or javac is missing')
if (!hasGo) noteSkip('types of events in Go: go is missing')

const folder = mkdtempSync(join(tmpdir(), 'cupel-classes-'))
const schemas = join(folder, 'schemas')
/** Full names of all named types, each once. */
let types
beforeAll(() => {
  const all = Object.values(JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8')))
  mkdirSync(schemas)
  for (const { schema } of all) cpSync(join(root, 'schemas', schema), join(schemas, schema.split('/').at(-1)))
  types = new Set(
    readdirSync(schemas).flatMap((file) => namedIn(JSON.parse(readFileSync(join(schemas, file), 'utf8')))),
  )
  expect(types.size).toBeGreaterThan(all.length)
})
afterAll(() => rmSync(folder, { recursive: true }))

test.runIf(hasMaven)(
  'avro-maven-plugin makes a class of each type, from all schemas at once, and they compile',
  async () => {
    writeFileSync(join(folder, 'pom.xml'), POM)
    await maven(folder, 'compile')
    const classes = readdirSync(join(folder, 'target/classes'), { recursive: true, encoding: 'utf8' })
    const expected = [...types].map((name) => `${name.replaceAll('.', '/')}.class`)
    expect(classes).toEqual(expect.arrayContaining(expected))
  },
  LIMIT_MS,
)

test.runIf(hasGo)(
  'the generator of hamba makes a type of each, without the namespaces that it does not know, and they compile',
  async () => {
    const own = join(folder, 'go')
    mkdirSync(own)
    const go = (...args) =>
      persist(() =>
        promisify(execFile)('go', args, {
          cwd: own,
          env: { ...process.env, GOBIN: own, GOFLAGS: '-mod=mod' },
        }),
      )
    await go('install', AVROGEN)
    const files = readdirSync(schemas).map((file) => join(schemas, file))
    await promisify(execFile)(join(own, 'avrogen'), ['-pkg', 'cupel', '-o', join(own, 'cupel.go'), ...files])
    const made = [...readFileSync(join(own, 'cupel.go'), 'utf8').matchAll(/^type (\w+) /gm)]
    // It writes abbreviations such as API in capitals.
    const lower = (names) => names.map((name) => name.toLowerCase()).sort()
    const short = [...types].map((name) => name.split('.').at(-1))
    expect(lower(made.map(([, name]) => name))).toEqual(lower(short))
    writeFileSync(join(own, 'go.mod'), `module cupel\n\ngo 1.24\n\nrequire ${GO_AVRO}\n`)
    await go('mod', 'tidy')
    await go('vet', './...')
  },
  LIMIT_MS,
)

test.runIf(hasMaven).each(['java', 'kafka-connect'])(
  'Maven compiles the example %s with what its page asks for',
  async (name) => {
    const copy = join(folder, 'subscribers')
    cpSync(join(root, 'examples/subscribers'), copy, { recursive: true })
    await maven(join(copy, name), 'compile')
    const classes = readdirSync(join(copy, name, 'target/classes'), { recursive: true, encoding: 'utf8' })
    expect(classes).toContain('cupel/records/RecordVerifier.class')
  },
  LIMIT_MS,
)

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>classes</artifactId><version>1</version>
  <properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>org.apache.avro</groupId><artifactId>avro</artifactId><version>${AVRO}</version></dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>${COMPILER_PLUGIN}</version></plugin>
    <plugin>
      <groupId>org.apache.avro</groupId><artifactId>avro-maven-plugin</artifactId><version>${AVRO}</version>
      <executions><execution>
        <phase>generate-sources</phase><goals><goal>schema</goal></goals>
        <configuration><sourceDirectory>\${project.basedir}/schemas</sourceDirectory></configuration>
      </execution></executions>
    </plugin>
  </plugins></build>
</project>
`

async function maven(cwd, goal) {
  await persist(() =>
    promisify(execFile)('mvn', ['--batch-mode', '--strict-checksums', '--quiet', goal], { cwd }),
  )
}

/** Full names of the types that a schema defines. */
function namedIn(schema, namespace = '') {
  if (Array.isArray(schema)) return schema.flatMap((one) => namedIn(one, namespace))
  if (typeof schema !== 'object' || schema === null) return []
  const own = schema.namespace ?? namespace
  const isNamed = ['record', 'enum', 'fixed'].includes(schema.type)
  const inner = isNamed
    ? (schema.fields ?? []).map(({ type }) => type)
    : [schema.type, schema.items, schema.values]
  return [...(isNamed ? [`${own}.${schema.name}`] : []), ...inner.flatMap((one) => namedIn(one, own))]
}

function has(command, argument) {
  try {
    execFileSync(command, [argument], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
