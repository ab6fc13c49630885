/**
 * Generators of clients, each of another kind, and a program on the client of each: it screens an address, reads the report back and writes
 * its PDF to a file. The tools are installed once into the cache of the checkout.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const DESCRIPTION = join(root, 'docs/reference/openapi.json')
const MAX_OUTPUT_BYTES = 64 * 1_048_576

/** Runs a program to its end; rejects with what it said if it fails. */
export async function done(
  command: string,
  args: readonly string[],
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT_BYTES }
  try {
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${`${stdout}${stderr}`.slice(-4_000)}`, { cause })
  }
}

/** How a program with a generated client is started. It prints the level of the report and writes the PDF to CUPEL_PDF. */
export interface Client {
  readonly command: string
  readonly args: readonly string[]
}

export interface Generator {
  readonly name: string
  /** Installs the tools, or rejects. */
  readonly tools: () => Promise<string>
  /** Generates the client in an empty folder and builds the program. */
  readonly make: (tools: string, folder: string) => Promise<Client>
}

/** `install` fills a folder, once for each of its texts. */
async function installed(
  name: string,
  pins: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256').update(pins).digest('hex').slice(0, 12)
  const home = join(root, '.cache', `generator-${name}-${hash}`)
  if (existsSync(home)) return home
  mkdirSync(dirname(home), { recursive: true })
  const half = mkdtempSync(`${home}-half-`)
  try {
    await install(half)
    renameSync(half, home)
  } catch (error) {
    // Another run may have finished first.
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(home)) throw error
  }
  return home
}

const NPM_PINS = JSON.stringify({
  private: true,
  dependencies: {
    '@hey-api/openapi-ts': '0.99.0',
    'openapi-fetch': '0.17.0',
    'openapi-typescript': '7.13.0',
    orval: '8.38.0',
    typescript: '5.9.3',
  },
})

const npmTools = (): Promise<string> =>
  installed('npm', NPM_PINS, async (folder) => {
    writeFileSync(join(folder, 'package.json'), NPM_PINS)
    await done('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  })

const TYPESCRIPT_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2023', module: 'esnext' },
  ...{ moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
}

/** Generates, checks the types of client and program, and bundles them. */
const typescript = (
  name: string,
  generate: (
    node: (program: string, ...args: string[]) => Promise<string>,
    folder: string,
  ) => Promise<unknown>,
  calls: string,
): Generator => ({
  name,
  tools: npmTools,
  async make(tools, folder) {
    // Libraries of the client are found where they would be in a project.
    const project = mkdtempSync(join(tools, 'project-'))
    const node = (program: string, ...args: string[]): Promise<string> =>
      done(process.execPath, [join(tools, 'node_modules', program), ...args], { cwd: project })
    try {
      await generate(node, project)
      writeFileSync(join(project, 'main.ts'), `${TYPESCRIPT_BEGIN}${calls}${TYPESCRIPT_END}`)
      writeFileSync(join(project, 'node.d.ts'), NODE_TYPES)
      const config = { compilerOptions: TYPESCRIPT_OPTIONS, files: ['node.d.ts', 'main.ts'] }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
      await node('typescript/bin/tsc', '--project', '.')
      const outfile = join(folder, 'main.mjs')
      const whole = { bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' } as const
      await build({ entryPoints: [join(project, 'main.ts')], outfile, ...whole })
      return { command: process.execPath, args: [outfile] }
    } finally {
      rmSync(project, { recursive: true, force: true })
    }
  },
})

/** What the programs use of Node. */
const NODE_TYPES = `declare module 'node:fs' {
  export function writeFileSync(file: string, bytes: Uint8Array): void
}
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }
`
const TYPESCRIPT_BEGIN = `import { writeFileSync } from 'node:fs'
const { CUPEL_BASE_URL: baseUrl = '', CUPEL_API_KEY: key = '', CUPEL_ADDRESS: address = '', CUPEL_PDF: file = '' } = process.env
`
const TYPESCRIPT_END = `
writeFileSync(file, new Uint8Array(await pdf.arrayBuffer()))
console.log(report.risk.level)
`

const openapiFetch = typescript(
  'openapi-typescript with openapi-fetch',
  (node, folder) => node('openapi-typescript/bin/cli.js', DESCRIPTION, '--output', join(folder, 'schema.ts')),
  `import createClient from 'openapi-fetch'
import type { paths } from './schema'
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })
const { data: screened } = await client.POST('/v1/screen', { body: { address } })
if (screened === undefined || !('report_id' in screened)) throw new Error('not screened')
const params = { path: { report_id: screened.report_id } }
const { data: report } = await client.GET('/v1/reports/{report_id}', { params })
const { data: pdf } = await client.GET('/v1/reports/{report_id}/pdf', { params, parseAs: 'blob' })
if (report === undefined || pdf === undefined) throw new Error('not read')
`,
)

const heyApi = typescript(
  '@hey-api/openapi-ts',
  (node) =>
    node(
      '@hey-api/openapi-ts/bin/run.js',
      ...['--input', DESCRIPTION, '--output', 'client'],
      '--client',
      '@hey-api/client-fetch',
    ),
  `import { client } from './client/client.gen'
import { createScreen, getReport, getReportPdf } from './client'
client.setConfig({ baseUrl, auth: key, throwOnError: true })
const { data: screened } = await createScreen<true>({ body: { address } })
if (!('report_id' in screened)) throw new Error('not screened')
const path = { report_id: screened.report_id }
const { data: report } = await getReport<true>({ path })
const { data: pdf } = await getReportPdf<true>({ path })
`,
)

const orval = typescript(
  'orval',
  (node, folder) => {
    const output = { target: 'client.ts', client: 'fetch', baseUrl: 'http://cupel.invalid' }
    const config = { cupel: { input: DESCRIPTION, output } }
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)}`)
    return node('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs')
  },
  `import { createScreen, getReport, getReportPdf } from './client'
// The address of the installation is known when the client runs, and its key too.
const { fetch: send } = globalThis
globalThis.fetch = (url, options) =>
  send(String(url).replace('http://cupel.invalid', baseUrl), {
    ...options,
    headers: { ...(options?.headers as object), authorization: \`Bearer \${key}\` },
  })
const screened = await createScreen({ address })
if (screened.status !== 200 || !('report_id' in screened.data)) throw new Error('not screened')
const read = await getReport(screened.data.report_id)
const document = await getReportPdf(screened.data.report_id)
if (read.status !== 200 || document.status !== 200) throw new Error('not read')
const [report, pdf] = [read.data, document.data]
`,
)

const PYTHON_PIN = 'openapi-python-client==0.29.1'
/** The generator takes bytes under one name only. */
const PYTHON_CONFIG = `package_name_override: generated
project_name_override: generated
post_hooks: []
content_type_overrides:
  application/pdf: application/octet-stream
  application/vnd.openxmlformats-officedocument.spreadsheetml.sheet: application/octet-stream
`
const PYTHON_MAIN = `import os
from generated import AuthenticatedClient
from generated.api.reports import get_report, get_report_pdf
from generated.api.screens import create_screen
from generated.models import Report, ScreenRequest

client = AuthenticatedClient(base_url=os.environ["CUPEL_BASE_URL"], token=os.environ["CUPEL_API_KEY"], timeout=60)
with client:
    screened = create_screen.sync(client=client, body=ScreenRequest(address=os.environ["CUPEL_ADDRESS"]))
    assert isinstance(screened, Report), screened
    report = get_report.sync(screened.report_id, client=client)
    pdf = get_report_pdf.sync(screened.report_id, client=client)
with open(os.environ["CUPEL_PDF"], "wb") as file:
    file.write(pdf.payload.read())
print(report.risk.level)
`

const python: Generator = {
  name: 'openapi-python-client',
  tools: async () =>
    join(
      await installed('python', PYTHON_PIN, async (folder) => {
        await done('python3', ['-m', 'venv', join(folder, 'venv')])
        const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', PYTHON_PIN]
        await done(join(folder, 'venv/bin/python'), pip)
      }),
      'venv/bin/python',
    ),
  async make(tools, folder) {
    writeFileSync(join(folder, 'config.yaml'), PYTHON_CONFIG)
    writeFileSync(join(folder, 'main.py'), PYTHON_MAIN)
    const from = [
      '--path',
      DESCRIPTION,
      '--config',
      'config.yaml',
      '--meta',
      'none',
      '--output-path',
      'generated',
    ]
    await done(tools, ['-m', 'openapi_python_client', 'generate', ...from], { cwd: folder })
    return { command: tools, args: [join(folder, 'main.py')] }
  },
}

const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'
const JAVA_PIN = 'org.openapitools:openapi-generator-cli:7.25.0'
const JAVA_MAIN = `import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ReportsApi;
import org.openapitools.client.api.ScreensApi;
import org.openapitools.client.api.WebhookDeliveriesApi;
import org.openapitools.client.model.ScreenRequest;

class Main {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("CUPEL_BASE_URL"));
    client.setRequestInterceptor((call) -> call.header("Authorization", "Bearer " + System.getenv("CUPEL_API_KEY")));
    ScreenRequest screen = new ScreenRequest().address(System.getenv("CUPEL_ADDRESS"));
    // This generator takes either kind of answer for the first one, so the path of the report tells it.
    String path = new ScreensApi(client).createScreenWithHttpInfo(screen, null, null).getHeaders().get("location").get(0);
    String id = path.substring(path.lastIndexOf('/') + 1);
    ReportsApi reports = new ReportsApi(client);
    Files.copy(reports.getReportPdf(id, null).toPath(), Path.of(System.getenv("CUPEL_PDF")));
    // The operations stand in a file of their tag, which the messages must not overwrite.
    WebhookDeliveriesApi.class.getMethod("getWebhookDelivery", String.class, String.class);
    System.out.println(reports.getReport(id).getRisk().getLevel());
  }
}
`

const java: Generator = {
  name: 'openapi-generator, Java',
  async tools() {
    await done('javac', ['-version'])
    return await installed('java', JAVA_PIN, (folder) =>
      done('mvn', [
        '--batch-mode',
        '--quiet',
        `${MAVEN_COPY}:copy`,
        `-Dartifact=${JAVA_PIN}`,
        `-DoutputDirectory=${folder}`,
      ]),
    )
  },
  async make(tools, folder) {
    const [, name, version] = JAVA_PIN.split(':')
    const from = [
      'generate',
      '--input-spec',
      DESCRIPTION,
      '--generator-name',
      'java',
      '--library',
      'native',
      '--additional-properties',
      'useJakartaEe=true',
      '--output',
      folder,
    ]
    await done('java', [
      '-jar',
      join(tools, `${name}-${version}.jar`),
      ...from,
      '--global-property',
      'apiTests=false,modelTests=false',
    ])
    const lib = ['-DincludeScope=compile', '-DoutputDirectory=lib']
    await done('mvn', ['--batch-mode', '--quiet', `${MAVEN_COPY}:copy-dependencies`, ...lib], { cwd: folder })
    writeFileSync(join(folder, 'Main.java'), JAVA_MAIN)
    const options = ['-nowarn', '-proc:none', '-d', 'classes', '-cp', 'lib/*', '-sourcepath', 'src/main/java']
    await done('javac', [...options, 'Main.java'], { cwd: folder })
    return { command: 'java', args: ['-cp', `${join(folder, 'classes')}:${join(folder, 'lib')}/*`, 'Main'] }
  },
}

const GO_PIN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0'
const GO_MAIN = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	key := func(_ context.Context, call *http.Request) error {
		call.Header.Set("Authorization", "Bearer "+os.Getenv("CUPEL_API_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("CUPEL_BASE_URL"), WithRequestEditorFn(key))
	check(err)
	whole := context.Background()
	screened, err := client.CreateScreenWithResponse(whole, nil, ScreenRequest{Address: os.Getenv("CUPEL_ADDRESS")})
	check(err)
	first, err := screened.JSON200.AsReport()
	check(err)
	report, err := client.GetReportWithResponse(whole, first.ReportId)
	check(err)
	pdf, err := client.GetReportPdfWithResponse(whole, first.ReportId, nil)
	check(err)
	check(os.WriteFile(os.Getenv("CUPEL_PDF"), pdf.Body, 0o600))
	fmt.Println(report.JSON200.Risk.Level)
}
`

const go: Generator = {
  name: 'oapi-codegen, Go',
  tools: () =>
    installed('go', GO_PIN, (folder) =>
      done('go', ['install', GO_PIN], { cwd: folder, env: { GOBIN: folder } }),
    ),
  async make(tools, folder) {
    const from = ['-generate', 'types,client,skip-prune', '-package', 'main', '-o', 'client.go', DESCRIPTION]
    await done(join(tools, 'oapi-codegen'), from, { cwd: folder })
    writeFileSync(join(folder, 'main.go'), GO_MAIN)
    for (const args of [
      ['mod', 'init', 'example.com/generated'],
      ['get', GO_RUNTIME],
      ['mod', 'tidy'],
      ['build', '-o', 'client', '.'],
    ])
      await done('go', args, { cwd: folder })
    return { command: join(folder, 'client'), args: [] }
  },
}

export const generators: readonly Generator[] = [openapiFetch, heyApi, orval, python, java, go]
