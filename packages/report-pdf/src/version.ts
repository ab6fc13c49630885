/**
 * Changes with every change of the bytes that the renderer makes of a report, so that a stored copy of an earlier PDF is known as one.
 * A test compares the bytes with the digests in renders.json.
 */
export const RENDERER_VERSION = '3'
