/** `cupel policy check`: checks that a file is a valid policy, and warns of effects that its author may not want. */
import { listSets, type PublishedSet } from '@cupel/labels/read-model'
import { readActivePolicy } from '../read-model/index.js'
import type { CompiledPolicy, PolicyFinding } from '@cupel/domain'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, EXIT_FAILED } from '@cupel/command-line'
import { withConnections, type Connections } from '@cupel/command-line/installation'
import { checkFile, findingsText } from './policy-file.js'

interface CheckOptions extends JsonOption {
  readonly here?: boolean
}

export function registerCheck(policy: Command, context: CliContext): void {
  policy
    .command('check <file>')
    .summary('check a policy before it is used')
    .description(
      `Check a policy: its form (docs/reference/policy.schema.json), its bounds, settings that do not exist, and numbers
that would hide a category, contradict each other or require lists that do not exist. The score of a live designation is fixed
at 100; a setting that would change it is an error. Exits with ${EXIT_FAILED} if there is an error; warnings are advice.`,
    )
    .option('--here', 'also check against this installation: its policy version and its imported lists')
    .option('--json', 'answer in JSON')
    .action(async (file: string, options: CheckOptions) => {
      const checked = checkFile(context, file)
      const { policy: usable } = checked
      const here =
        options.here === true && usable !== null
          ? await withConnections(context, (connections) => findingsHere(usable, connections))
          : []
      const findings = [...checked.findings, ...here]
      const isUsable = findings.every(({ severity }) => severity !== 'error')
      const json = {
        file,
        usable: isUsable,
        policy:
          usable === null
            ? null
            : { id: usable.document.id, version: usable.document.version, sha256: usable.sha256 },
        findings,
      }
      answer(context, options, json, () => textOf(file, usable, findings))
      if (!isUsable) process.exitCode = EXIT_FAILED
    })
}

/** Findings that depend on the installation. The activation itself checks versions against the log. */
export async function findingsHere(
  { document }: CompiledPolicy,
  { database }: Pick<Connections, 'database'>,
): Promise<readonly PolicyFinding[]> {
  const [active, sets] = await Promise.all([readActivePolicy(database), listSets(database)])
  const findings: PolicyFinding[] = []
  if (active !== null && active.policyId === document.id && document.version < active.version)
    findings.push({
      severity: 'error',
      rule: 'version-not-higher',
      path: 'version',
      message: `${document.id} is in force with version ${active.version}; versions only rise.`,
    })
  for (const [index, { origin, when }] of document.freshness.required.entries()) {
    if (when === 'always' && !sets.some((set) => isOwnList(set, origin)))
      findings.push({
        severity: 'warning',
        rule: 'list-not-imported',
        path: `freshness.required.${index}`,
        message: `No whole list of ${origin} is in force here: no report is green until one is.`,
      })
  }
  return findings
}

const isOwnList = ({ authorityOrigin, whole, total }: PublishedSet, origin: string): boolean =>
  authorityOrigin === origin && whole && total > 0

function textOf(file: string, policy: CompiledPolicy | null, findings: readonly PolicyFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const name = policy === null ? file : `${policy.document.id} ${policy.document.version}`
  const verdict = errors === 0 ? `${name} can be activated.` : `${name} cannot be activated.`
  return findings.length === 0 ? verdict : `${verdict}\n\n${findingsText(findings)}`
}
