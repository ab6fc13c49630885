// Evaluates a set of NetworkPolicies as the documentation of Kubernetes says. It rejects fields that it does not evaluate, so that it never
// evaluates only a part of a policy.

/**
 * @typedef {{ namespace: string, namespaceLabels?: Record<string, string>, labels?: Record<string, string>, ports?: Record<string, number> }} Pod
 * A pod; `ports` are its named ports.
 * @typedef {{ ip: string }} Address An address outside of the cluster.
 */

/**
 * Whether `from` reaches a port of `to`: the policies of each end must allow it.
 * @param {readonly object[]} policies manifests of the kind NetworkPolicy
 * @param {Pod | Address} from
 * @param {Pod | Address} to
 * @param {{ port: number, protocol?: string }} on
 */
export function isAllowed(policies, from, to, { port, protocol = 'TCP' }) {
  return (
    allows(policies, 'Egress', { subject: from, other: to, target: to, port, protocol }) &&
    allows(policies, 'Ingress', { subject: to, other: from, target: to, port, protocol })
  )
}

function allows(policies, type, flow) {
  const { subject } = flow
  if (subject.ip !== undefined) return true
  const ofSubject = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === subject.namespace &&
      typesOf(spec).includes(type) &&
      selects(spec.podSelector, subject.labels),
  )
  // If no policy of this direction selects a pod, the pod is open.
  if (ofSubject.length === 0) return true
  const [rules, peers] = type === 'Egress' ? ['egress', 'to'] : ['ingress', 'from']
  return ofSubject.some(({ metadata, spec }) =>
    (spec[rules] ?? []).some((rule) => {
      onlyKeys(rule, [peers, 'ports'])
      return (
        (isEmpty(rule[peers]) || rule[peers].some((peer) => matches(peer, flow.other, metadata.namespace))) &&
        (isEmpty(rule.ports) || rule.ports.some((one) => isPort(one, flow)))
      )
    }),
  )
}

/** Without policyTypes, a policy applies to ingress, and to egress if it has egress rules. */
function typesOf(spec) {
  onlyKeys(spec, ['podSelector', 'policyTypes', 'ingress', 'egress'])
  return spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])]
}

function matches(peer, other, ownNamespace) {
  onlyKeys(peer, ['ipBlock', 'podSelector', 'namespaceSelector'])
  const { ipBlock, podSelector, namespaceSelector } = peer
  if (ipBlock !== undefined) {
    onlyKeys(ipBlock, ['cidr', 'except'])
    const { ip } = other
    return (
      ip !== undefined &&
      isWithin(ip, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((one) => isWithin(ip, one))
    )
  }
  if (other.ip !== undefined) return false
  const isNamespace =
    namespaceSelector === undefined
      ? other.namespace === ownNamespace
      : selects(namespaceSelector, {
          'kubernetes.io/metadata.name': other.namespace,
          ...other.namespaceLabels,
        })
  return isNamespace && (podSelector === undefined || selects(podSelector, other.labels))
}

/** A named port is a port of the called pod. */
function isPort(rule, { target, port, protocol }) {
  onlyKeys(rule, ['port', 'protocol'])
  if ((rule.protocol ?? 'TCP') !== protocol) return false
  if (rule.port === undefined) return true
  return typeof rule.port === 'number' ? rule.port === port : target.ports?.[rule.port] === port
}

/** An empty selector selects everything. */
function selects(selector, labels = {}) {
  onlyKeys(selector, ['matchLabels', 'matchExpressions'])
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
      if (operator === 'In') return values.includes(labels[key])
      if (operator === 'NotIn') return !values.includes(labels[key])
      if (operator === 'Exists') return key in labels
      if (operator === 'DoesNotExist') return !(key in labels)
      throw new Error(`The operator ${operator} is not evaluated.`)
    })
  )
}

const isEmpty = (list) => list === undefined || list.length === 0

function onlyKeys(object, known) {
  const unknown = Object.keys(object).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} of a policy is not evaluated.`)
}

/** Addresses of IPv4, and of IPv6 written in full; a range of one family holds no address of the other. */
export function isWithin(ip, cidr) {
  const [base, bits] = cidr.split('/')
  if (base.includes(':') !== ip.includes(':')) return false
  const size = base.includes(':') ? 128 : 32
  const shift = BigInt(size - Number(bits))
  return numberOf(ip) >> shift === numberOf(base) >> shift
}

function numberOf(ip) {
  if (!ip.includes(':')) return ip.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n)
  const [head, tail] = ip.split('::').map((side) => (side === '' ? [] : side.split(':')))
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])].reduce(
    (sum, part) => (sum << 16n) + BigInt(`0x${part}`),
    0n,
  )
}
