// Makes the images that tests of containers start, while other tests run: every stand-in, and every target of the Dockerfile.
import { SERVICES } from './composition.mjs'
import { standIn, standIns } from './base-images.mjs'
import { buildImage } from './docker.mjs'

for (const kind of /** @type {(keyof typeof standIns)[]} */ (Object.keys(standIns))) await standIn(kind, {})
for (const target of [...SERVICES, 'cupel']) await buildImage(target)
