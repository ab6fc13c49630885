// Runs the pods of the chart as containers with exactly their settings: user, rights, limits, environment, files, volumes, grace period.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { docker } from '../containers/docker.mjs'
import { matched } from '../matched.mjs'

const FOLDER_MODE = 0o750

/**
 * Arguments of docker for a container of a pod. Every member of the specification is translated or refused, so that nothing of it is left
 * out silently.
 * @param {{ pod: any, container: any }} part
 * @param {{ network: string, alias: string, name: string, secrets: string }} place `secrets`: a folder with a folder for each Secret.
 */
export function dockerArguments({ pod, container }, { network, alias, name, secrets }) {
  const { runAsUser, runAsGroup, fsGroup, seccompProfile } = pod.securityContext
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, privileged, capabilities } =
    container.securityContext
  // The engine uses its own profile, which Kubernetes calls RuntimeDefault, if no other is named.
  if (seccompProfile.type !== 'RuntimeDefault' || privileged) throw new Error('No such container is started.')
  return [
    ...['--name', name, '--hostname', name, '--network', network, '--network-alias', alias],
    ...['--user', `${runAsUser}:${runAsGroup}`, '--group-add', String(fsGroup)],
    ...(readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges:true']),
    ...capabilities.drop.flatMap((each) => ['--cap-drop', each]),
    ...['--cpus', container.resources.limits.cpu, '--memory', bytesOf(container.resources.limits.memory)],
    ...['--stop-timeout', String(pod.terminationGracePeriodSeconds)],
    ...container.env.flatMap(({ name: setting, value }) => ['--env', `${setting}=${value}`]),
    ...container.volumeMounts.flatMap((mount) => {
      const volume = pod.volumes.find((each) => each.name === mount.name)
      return mountOf(mount, volume, { secrets, user: runAsUser, group: fsGroup })
    }),
    ...(container.command === undefined ? [] : ['--entrypoint', container.command[0]]),
    container.image,
    ...(container.command ?? []).slice(1),
    ...container.args,
  ]
}

/** A volume as docker mounts it. */
function mountOf({ mountPath, readOnly }, volume, { secrets, user, group }) {
  if (volume.emptyDir !== undefined)
    // A pod may write there. The engine gives it the mode of the folder of the image, which is that of its owner only.
    return ['--tmpfs', `${mountPath}:size=${bytesOf(volume.emptyDir.sizeLimit)},uid=${user},gid=${group}`]
  if (volume.secret === undefined) throw new Error(`The tests do not know the volume ${volume.name}.`)
  const { secretName, items, defaultMode } = volume.secret
  const folder = join(secrets, `${secretName}-${volume.name}`)
  exposeSecret(join(secrets, secretName), folder, { items, mode: defaultMode, group })
  return ['--mount', `type=bind,source=${folder},destination=${mountPath}${readOnly ? ',readonly' : ''}`]
}

/** Writes the keys of a Secret as files, as in the volume of a pod: owned by root, readable for the group of the pod. */
function exposeSecret(from, to, { items, mode, group }) {
  mkdirSync(to, { recursive: true })
  chmodSync(to, FOLDER_MODE)
  chownSync(to, 0, group)
  const keys = items?.map(({ key }) => key) ?? listOf(from)
  for (const key of keys) {
    const file = join(to, key)
    writeFileSync(file, execFileSync('cat', [join(from, key)]))
    chmodSync(file, mode)
    chownSync(file, 0, group)
  }
}

const listOf = (folder) => execFileSync('ls', [folder], { encoding: 'utf8' }).split('\n').filter(Boolean)

/** `768Mi` as docker writes it. */
function bytesOf(quantity) {
  const [, count, unit] = matched(/^(\d+)(Mi|Gi)$/, quantity)
  return `${count}${{ Mi: 'm', Gi: 'g' }[unit]}`
}

/** Sends a probe as the kubelet does, to the address of the pod, and returns its status. */
export async function probe(id, { container }, { httpGet, timeoutSeconds }) {
  const port = container.ports.find(({ name }) => name === httpGet.port).containerPort
  const answer = await fetch(`http://${await addressOf(id)}:${port}${httpGet.path}`, {
    signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  })
  return { status: answer.status, text: await answer.text() }
}

export async function addressOf(id) {
  const { Networks } = JSON.parse(await docker('inspect', id))[0].NetworkSettings
  return Object.values(Networks)[0].IPAddress
}
