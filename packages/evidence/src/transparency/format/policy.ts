/** The trust policy of a log in the form of C2SP (https://c2sp.org/tlog-policy): verifiers of others need nothing more. */
import { verifierKey, type PublicKey } from '@cupel/signing'
import { logKey } from './checkpoint.js'
import { NO_WITNESSES, witnessKeyText, type WitnessPolicy } from './cosignature.js'

const GROUP = 'installation-quorum'

export interface PolicyParts {
  /** Every key with which the installation signs or signed checkpoints. */
  readonly publicKeys: readonly PublicKey[]
  /** Identity of the log. */
  readonly log: string
  readonly witnesses?: WitnessPolicy | undefined
}

export function policyText({ publicKeys, log, witnesses: policy = NO_WITNESSES }: PolicyParts): string {
  const { witnesses, needed } = policy
  const names = witnesses.map(({ name }) => name)
  const lines = [
    ...publicKeys.map((key) => `log ${verifierKey(logKey(key, log))}`),
    ...witnesses.map((key) => `witness ${key.name} ${witnessKeyText(key)}`),
    ...(needed === 0 ? ['quorum none'] : [`group ${GROUP} ${needed} ${names.join(' ')}`, `quorum ${GROUP}`]),
  ]
  return `${lines.join('\n')}\n`
}
