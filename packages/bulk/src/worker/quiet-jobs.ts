/** Jobs that no caller submitted: their screenings name no job, and their end is not announced. */

const PREFIX = 'watching_'

export const quietJobId = (eventId: string): string => PREFIX + eventId.replaceAll('-', '')

export const isQuietJob = (jobId: string): boolean => jobId.startsWith(PREFIX)
