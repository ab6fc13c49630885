/** Like Promise.all, but settles once all of the work has ended: what fails leaves nothing running. */
export async function together<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return await Promise.all(work)
}
