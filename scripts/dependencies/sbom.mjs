// Makes the bill of materials of the running product as CycloneDX 1.6: packages of the registry and the jars of the local broker.
// It reads the installed packages, because generators know neither the workspace nor the jars. The same checkout gives the same bytes.
import { matched } from '../matched.mjs'
import { idOf } from './read.mjs'

/**
 * @typedef {{ type: string, 'bom-ref': string, group?: string, name: string, version: string, licenses?: object[], purl?: string,
 *   hashes?: { alg: string, content: string }[], properties?: { name: string, value: string }[] }} Component
 */

/**
 * @param {{ name: string, version: string, license: string }} product
 * @param {readonly import('./read.mjs').Dependency[]} dependencies
 * @param {{ licences_of: Record<string, { is: string }> }} agreed
 * @param {string} jarHashes Lines of `sha256sum`.
 */
export function billOfMaterials(product, dependencies, agreed, jarHashes) {
  const runtime = dependencies
    .filter(({ isRuntime }) => isRuntime)
    .map((one) => ({ ...one, licence: agreed.licences_of[one.name]?.is ?? one.licence }))
  const root = `${product.name}@${product.version}`
  const jars = jarHashes.split('\n').filter((line) => line !== '')
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        ...{ type: 'application', 'bom-ref': root, name: product.name, version: product.version },
        licenses: [{ license: { id: product.license } }],
      },
    },
    components: [...runtime.map(packageComponent), ...jars.map(jarComponent)],
    dependencies: [
      { ref: root, dependsOn: runtime.filter(({ isDirect }) => isDirect).map(idOf) },
      ...runtime.map((one) => ({ ref: idOf(one), dependsOn: one.dependsOn })),
    ],
  }
}

/** @returns {Component} */
function packageComponent(dependency) {
  const { name, version, licence, integrity } = dependency
  const [, group, bare] = matched(/^(?:(@[^/]+)\/)?(.+)$/, name)
  return {
    ...{
      type: 'library',
      'bom-ref': idOf(dependency),
      ...(group === undefined ? {} : { group }),
      name: bare,
      version,
    },
    ...(licence === null ? {} : { licenses: [licenceEntry(licence)] }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(integrity === null
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }),
  }
}

const licenceEntry = (licence) =>
  / (?:AND|OR|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }

/** @returns {Component} */
function jarComponent(line) {
  const [sha256, file] = [line.slice(0, 64), line.slice(64).trim()]
  const [, name, version] = matched(/^(.+?)-(\d[\w.-]*?)(?:-all)?\.(?:jar|tar\.gz)$/, file)
  return {
    ...{ type: 'library', 'bom-ref': file, name, version },
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    properties: [{ name: 'cupel:file', value: file }],
  }
}
